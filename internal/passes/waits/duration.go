package waits

import (
	"go/constant"
	"go/token"
	"math"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Short is the duration from which on a pause matters.
const Short = time.Second

// maxTrace bounds how far values are followed.
const maxTrace = 8

// longest returns how long a duration is at most. If that is not known, brief
// tells that it is a number of milliseconds or less.
func (i *Waits) longest(v ssa.Value) (d time.Duration, known, brief bool) {
	if v == nil {
		return 0, false, false
	}
	d, known = i.upper(v, 0)
	return d, known, !known && inMilliseconds(v, 0)
}

// upper returns an upper bound of v.
func (i *Waits) upper(v ssa.Value, depth int) (time.Duration, bool) {
	if v == nil || depth > maxTrace {
		return 0, false
	}
	if d, ok := i.contexts.Duration(v); ok {
		return d, true
	}
	if from, _ := (values.Relation{Steps: values.Converted | values.Merged}).Sources(v); len(from) > 0 {
		return i.most(from, depth+len(from))
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op != token.ADD && v.Op != token.MUL {
			return 0, false
		}
		x, okX := i.upper(v.X, depth+1)
		y, okY := i.upper(v.Y, depth+1)
		if !okX || !okY {
			return 0, false
		}
		if v.Op == token.ADD {
			return x + y, true
		}
		if x != 0 && y > math.MaxInt64/x {
			return 0, false
		}
		return x * y, true
	case *ssa.UnOp:
		// An exported variable, too, if the package gives it nothing else than
		// constants: how it is set elsewhere does not change the order of
		// magnitude.
		if global, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			return i.most(i.graph.Stored(global.Object()), depth+1)
		}
	case *ssa.Call:
		if limit, ok := kubeapi.RandomBelow(v.Common()); ok {
			return i.upper(limit, depth+1)
		}
		if base, factor, ok := kubeapi.Jittered(v.Common()); ok {
			d, known := i.upper(base, depth+1)
			c, isConst := factor.(*ssa.Const)
			if !known || !isConst || c.Value == nil {
				return 0, false
			}
			f, _ := constant.Float64Val(constant.ToFloat(c.Value))
			return time.Duration(float64(d) * (1 + max(f, 0))), true
		}
	}
	return 0, false
}

// most returns an upper bound of all values.
func (i *Waits) most(values []ssa.Value, depth int) (time.Duration, bool) {
	var most time.Duration
	for _, v := range values {
		d, ok := i.upper(v, depth)
		if !ok {
			return 0, false
		}
		most = max(most, d)
	}
	return most, len(values) > 0
}

// inMilliseconds reports whether a duration is a number of units of less than
// a second.
func inMilliseconds(v ssa.Value, depth int) bool {
	product, ok := v.(*ssa.BinOp)
	if !ok || depth > maxTrace {
		return false
	}
	if product.Op == token.ADD {
		return inMilliseconds(product.X, depth+1) && inMilliseconds(product.Y, depth+1)
	}
	if product.Op != token.MUL {
		return false
	}
	for _, factor := range []ssa.Value{product.X, product.Y} {
		if n, ok := blocks.Number(factor); ok && n > 0 && time.Duration(n) < 100*time.Millisecond {
			return true
		}
	}
	return inMilliseconds(product.X, depth+1) || inMilliseconds(product.Y, depth+1)
}

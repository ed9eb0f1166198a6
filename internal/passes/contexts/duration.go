package contexts

import (
	"go/token"
	"math"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxTrace bounds how far values are followed.
const maxTrace = 12

// Duration returns the duration that v surely has: a constant, also by way of
// arithmetic, of variables and fields of the package that are set to one value
// only, of the arguments that all callers of an unexported function hand in,
// and of what is left until a time that is computed from now. ok is false if it
// is not known.
func (i *Sources) Duration(v ssa.Value) (d time.Duration, ok bool) { return i.duration(v, 0) }

func (i *Sources) duration(v ssa.Value, depth int) (time.Duration, bool) {
	if v == nil || depth > maxTrace {
		return 0, false
	}
	depth++
	same := values.Relation{Calls: i.graph, Steps: values.Converted | values.Merged | values.Held, Until: func(v ssa.Value) bool {
		number, ok := v.(*ssa.Convert)
		_, load := v.(*ssa.UnOp)
		return load || ok && (!kubeapi.IsInteger(number.X.Type()) || !kubeapi.IsInteger(number.Type()))
	}}
	if from, _ := same.Sources(v); len(from) > 0 {
		return i.agree(from, depth)
	}
	if n, ok := blocks.Number(v); ok {
		return time.Duration(n), true
	}
	if call, ok := v.(*ssa.Call); ok {
		return i.durationOf(call, depth)
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		x, ok := i.duration(v.X, depth)
		if !ok {
			return 0, false
		}
		y, ok := i.duration(v.Y, depth)
		if !ok {
			return 0, false
		}
		return compute(v.Op, x, y)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return 0, false
		}
		return i.stored(v.X, depth)
	case *ssa.Parameter:
		return i.argument(v, depth)
	}
	return 0, false
}

// compute does arithmetic on durations; an overflow is not known.
func compute(op token.Token, x, y time.Duration) (time.Duration, bool) {
	switch op {
	case token.ADD:
		if (x > 0) == (y > 0) && x != 0 && math.MaxInt64-x.Abs() < y.Abs() {
			return 0, false
		}
		return x + y, true
	case token.SUB:
		if (x > 0) != (y > 0) && math.MaxInt64-x.Abs() < y.Abs() {
			return 0, false
		}
		return x - y, true
	case token.MUL:
		if x != 0 && (x*y)/x != y {
			return 0, false
		}
		return x * y, true
	case token.QUO:
		if y == 0 {
			return 0, false
		}
		return x / y, true
	}
	return 0, false
}

// agree returns the duration that all values have.
func (i *Sources) agree(values []ssa.Value, depth int) (time.Duration, bool) {
	var all time.Duration
	for n, v := range values {
		d, ok := i.duration(v, depth)
		if !ok || n > 0 && d != all {
			return 0, false
		}
		all = d
	}
	return all, len(values) > 0
}

// stored returns the duration that the variable at addr holds.
func (i *Sources) stored(addr ssa.Value, depth int) (time.Duration, bool) {
	addr = calls.Captured(addr)
	if local, ok := addr.(*ssa.Alloc); ok {
		if escapes(local) {
			return 0, false
		}
		return i.agree(calls.StoredInto(local), depth)
	}
	if field, ok := addr.(*ssa.FieldAddr); ok {
		if made, ok := field.X.(*ssa.Alloc); ok {
			if v := fieldOfLiteral(made, field.Field); v != nil {
				return i.duration(v, depth)
			}
		}
	}
	return i.agree(i.stores.only(calls.HolderOf(addr)), depth)
}

// escapes reports whether the address of a local variable is used for
// something else than loading, storing and capturing it.
func escapes(local *ssa.Alloc) bool {
	if local.Referrers() == nil {
		return true
	}
	for _, ref := range *local.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp, *ssa.MakeClosure, *ssa.DebugRef:
		case *ssa.Store:
			if ref.Addr != local {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// argument returns the duration that all callers hand in for a parameter of a
// function that only this package can call.
func (i *Sources) argument(p *ssa.Parameter, depth int) (time.Duration, bool) {
	fn := p.Parent()
	if fn.Parent() != nil || fn.Object() == nil || fn.Object().Exported() || i.usedAsValue[fn] {
		return 0, false
	}
	args, closed := i.graph.Arguments(p)
	if !closed {
		return 0, false
	}
	return i.agree(calls.Values(args), depth)
}

// durationOf knows the calls that compute durations.
func (i *Sources) durationOf(call *ssa.Call, depth int) (time.Duration, bool) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() != "min" && builtin.Name() != "max" {
			return 0, false
		}
		var best time.Duration
		for n, arg := range common.Args {
			d, ok := i.duration(arg, depth)
			if !ok {
				return 0, false
			}
			if n == 0 || builtin.Name() == "min" && d < best || builtin.Name() == "max" && d > best {
				best = d
			}
		}
		return best, len(common.Args) > 0
	}
	if kubeapi.IsFunc(kubeapi.Callee(common), "time", "Until") {
		return i.until(common.Args[0], depth)
	}
	return 0, false
}

// Until returns how long it surely is from now to the time t: t was computed
// as time.Now().Add(d).
func (i *Sources) Until(t ssa.Value) (time.Duration, bool) { return i.until(t, 0) }

func (i *Sources) until(t ssa.Value, depth int) (time.Duration, bool) {
	if depth > maxTrace {
		return 0, false
	}
	switch t := t.(type) {
	case *ssa.UnOp:
		if local, ok := t.X.(*ssa.Alloc); ok && t.Op == token.MUL && !escapes(local) {
			if values := calls.StoredInto(local); len(values) == 1 {
				return i.until(values[0], depth+1)
			}
		}
	case *ssa.Call:
		callee := kubeapi.Callee(t.Common())
		if callee == nil || kubeapi.FullName(callee) != "(time.Time).Add" || len(t.Common().Args) != 2 {
			return 0, false
		}
		now, ok := t.Common().Args[0].(*ssa.Call)
		if !ok || !kubeapi.IsFunc(kubeapi.Callee(now.Common()), "time", "Now") {
			return 0, false
		}
		return i.duration(t.Common().Args[1], depth+1)
	}
	return 0, false
}

package drops

import (
	"go/constant"
	"go/token"
	"math"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// backsOffSoon reports whether a call of it may be over soon, as far as can be
// seen.
func (i *Drops) backsOffSoon(d *Drop) bool {
	if !kubeapi.BacksOff(d.Callee) {
		return false
	}
	_, args := kubeapi.Args(d.Call.Common())
	if d.Until != nil {
		args = args[1:]
	}
	total, known := i.backoffTotal(args[0])
	return !known || total <= short
}

// backoffTotal returns how long a wait.Backoff, handed to ExponentialBackoff,
// goes on at least if the answer is never yes; ok is false if its fields cannot
// be seen.
func (i *Drops) backoffTotal(v ssa.Value) (total time.Duration, ok bool) {
	load, isLoad := v.(*ssa.UnOp)
	if !isLoad || load.Op != token.MUL {
		return 0, false
	}
	fields := make(map[string]float64)
	switch addr := load.X.(type) {
	case *ssa.Alloc:
		if !i.backoffFields(addr, addr.Parent(), fields) {
			return 0, false
		}
	case *ssa.Global:
		init := i.graph.Pkg.Func("init")
		if addr.Pkg != i.graph.Pkg || init == nil || !i.backoffFields(addr, init, fields) {
			return 0, false
		}
	default:
		return 0, false
	}
	steps, step, most := fields["Steps"], fields["Duration"], fields["Cap"]
	if steps <= 0 || step <= 0 {
		return 0, false
	}
	sum := 0.0
	for n := 1.0; n < steps && n < 1000; n++ {
		sum += step
		if factor := fields["Factor"]; factor > 0 {
			step *= factor
		}
		if most > 0 && step > most {
			break // the pauses end at the cap
		}
		if sum > math.MaxInt64/4 {
			break
		}
	}
	return time.Duration(min(sum, math.MaxInt64/4)), true
}

// backoffFields collects the constants stored into the fields of the struct at
// addr by fn; it returns false if there is anything else.
func (i *Drops) backoffFields(addr ssa.Value, fn *ssa.Function, fields map[string]float64) bool {
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		if store.Addr == addr {
			// A literal is made apart and copied.
			load, isLoad := store.Val.(*ssa.UnOp)
			if !isLoad {
				return false
			}
			literal, isLocal := load.X.(*ssa.Alloc)
			if !isLocal || literal == addr || !i.backoffFields(literal, fn, fields) {
				return false
			}
			continue
		}
		field, ok := store.Addr.(*ssa.FieldAddr)
		if !ok || field.X != addr {
			continue
		}
		name := calls.FieldOf(field.X.Type(), field.Field)
		if name == nil {
			return false
		}
		if d, known := i.contexts.Duration(store.Val); known {
			fields[name.Name()] = float64(d)
			continue
		}
		c, ok := store.Val.(*ssa.Const)
		if !ok || c.Value == nil {
			return false
		}
		f, _ := constant.Float64Val(constant.ToFloat(c.Value))
		fields[name.Name()] = f
	}
	return len(fields) > 0
}

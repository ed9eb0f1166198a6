package reads

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// setsStatusOnly reports whether the function that CreateOrPatch is given, a literal,
// changes nothing but the status of the object.
func (g *gatherer) setsStatusOnly(op kubeapi.Op) bool {
	load, ok := kubeapi.Unboxed(op.Object).(*ssa.UnOp)
	if !ok {
		return false
	}
	targets := g.calls.FuncsOf(op.Mutate)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return false
	}
	captured := targets.Funcs[0].FreeVars
	index := slices.IndexFunc(captured, func(v *ssa.FreeVar) bool { return g.calls.Binding(v) == load.X })
	if index < 0 {
		return false
	}
	variable := captured[index]
	sets := false
	for _, ref := range *variable.Referrers() {
		object, ok := ref.(*ssa.UnOp)
		if !ok {
			return false
		}
		status, rest := parts(object)
		if rest {
			return false
		}
		sets = sets || status
	}
	return sets
}

// parts tells of a pointer to an object or to a part of its metadata whether it leads to
// the status, and whether anything else than that may be changed through it.
func parts(v ssa.Value) (status, rest bool) {
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			switch ref.Type().Underlying().(type) {
			case *types.Basic, *types.Struct:
			default:
				return false, true
			}
		case *ssa.FieldAddr:
			field := calls.FieldOf(ref.X.Type(), ref.Field)
			if field == nil {
				return false, true
			}
			if kubeapi.KindOf(ref.X.Type()) != nil && field.Name() == "Status" {
				status = true
				continue
			}
			if _, more := parts(ref); more {
				return false, true
			}
		default:
			return false, true
		}
	}
	return status, false
}

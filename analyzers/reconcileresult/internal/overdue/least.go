package overdue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

const (
	isZero  paths.Label = 1 // a delay that nothing has been put into
	isLeast paths.Label = 2 // the least of such a one and another
)

// least returns the store that sets RequeueAfter to the least of two delays where one of them is still
// zero, and what takes the least: zero asks for nothing, and the other delay is lost.
//
//	after := time.Duration(0); if failed { after = backoff }; after = min(after, interval)
func (c *Finder) least(u *objects.Unit) (at *ssa.Store, taken *ssa.Call) {
	if !blocks.Any(u.Fn, takesLeast) {
		return nil, nil
	}
	carrier := &paths.Carrier{Label: func(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
		call, ok := instr.(*ssa.Call)
		if !ok || !takesLeast(call) || !slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return of(arg) == isZero }) {
			return nil, 0, false
		}
		return call, isLeast, true
	}}
	u.Graph.Search(nil, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		held := carrier.Step(n, known, paths.Held(stage))
		if merge, ok := n.Instr.(*ssa.Phi); ok && n.Joins == nil && kubeapi.IsDuration(merge.Type()) {
			if in := known.Incoming(merge); in != nil && literals.IsZero(in) {
				held = carrier.Hold(held, merge, isZero)
			}
		}
		if carrier.Lost() {
			return stage, paths.Prune
		}
		store := requeueAfterStored(n)
		if store != nil && carrier.Of(held, store.Val) == isLeast && !requeuesAnyway(store) && !isReadAgain(store) && isOnlyReturnedWhole(store.Addr.(*ssa.FieldAddr).X) && endsWell(u, n) {
			at = store
			return stage, paths.Found
		}
		return int(held), paths.Continue
	})
	if at == nil || !c.isHandedOn(u.Fn, 0) {
		return nil, nil
	}
	return at, leastBehind(at.Val)
}

// leastBehind is the call that a delay was taken from as the least.
func leastBehind(v ssa.Value) *ssa.Call {
	for _, end := range append(merged(v), v) {
		if call, ok := end.(*ssa.Call); ok && takesLeast(call) {
			return call
		}
	}
	return nil
}

// takesLeast reports whether a call takes the least of several delays, none of which the code asks
// about: it may know which of them are zero. In a loop the first one may be set apart.
func takesLeast(call *ssa.Call) bool {
	return calls.IsBuiltin(call, "min") && kubeapi.IsDuration(call.Type()) && !blocks.Repeats(call.Block()) &&
		!isAskedAbout(call) && !slices.ContainsFunc(call.Call.Args, isAskedAbout)
}

// isCap reports whether what takes the least of delays has nothing but constants besides one of them: those may be the
// longest delay there is, and the other one be none on purpose.
func isCap(taken *ssa.Call) bool {
	others := slices.DeleteFunc(slices.Clone(taken.Call.Args), func(arg ssa.Value) bool {
		_, constant := arg.(*ssa.Const)
		return constant
	})
	return len(others) < 2
}

// isAskedAbout reports whether it is asked how long a delay is, or what it is merged of: it is compared, or
// somebody tells a number or yes or no of it.
func isAskedAbout(v ssa.Value) bool {
	return slices.ContainsFunc(append(merged(v), v), func(v ssa.Value) bool {
		_, constant := v.(*ssa.Const)
		return !constant && (isCompared(v) || blocks.AnyUse(v, func(call *ssa.Call) bool {
			basic, ok := call.Type().Underlying().(*types.Basic)
			return ok && !kubeapi.IsDuration(call.Type()) && basic.Info()&(types.IsNumeric|types.IsBoolean) != 0
		}))
	})
}

// isOnlyReturnedWhole reports whether nothing is done with a Result as a whole but to return it.
func isOnlyReturnedWhole(result ssa.Value) bool {
	return !blocks.AnyUse(result, func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.UnOp:
			return !isReturned(use, make(map[ssa.Value]bool)) && blocks.AnyUse(use, func(use ssa.Instruction) bool {
				_, returns := use.(*ssa.Return)
				return !returns && !blocks.StoresTo(use, result) // as what returns named results does
			})
		case *ssa.FieldAddr, *ssa.DebugRef:
			return false
		case *ssa.Store:
			return use.Addr != result
		}
		return true
	})
}

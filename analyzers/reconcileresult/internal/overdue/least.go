package overdue

import (
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
func (c *Finder) least(u *objects.Unit) (at *ssa.Store, taken ssa.Value) {
	if !blocks.Any(u.Fn, takesLeast) {
		return nil, nil
	}
	carrier := &paths.Carrier{Label: func(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
		call, ok := instr.(*ssa.Call)
		if !ok || !takesLeast(call) || !slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return of(arg) == isZero }) {
			return nil, 0, false
		}
		taken = call
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
		if store := requeueAfterStored(n); store != nil && carrier.Of(held, store.Val) == isLeast && !requeuesAnyway(store) && !isReadAgain(store) && endsWell(u, n) {
			at = store
			return stage, paths.Found
		}
		return int(held), paths.Continue
	})
	if at == nil || !c.isHandedOn(u.Fn, 0) {
		return nil, nil
	}
	return at, taken
}

// takesLeast reports whether a call takes the least of several delays, none of which the code
// compares with anything else: it may know which of them are zero.
func takesLeast(call *ssa.Call) bool {
	return calls.IsBuiltin(call, "min") && kubeapi.IsDuration(call.Type()) && !isCompared(call) && !slices.ContainsFunc(call.Call.Args, isComparedAnywhere)
}

// isComparedAnywhere reports whether it is asked how long a delay is, or what it is merged of.
func isComparedAnywhere(v ssa.Value) bool {
	return slices.ContainsFunc(append(merged(v), v), func(v ssa.Value) bool {
		_, constant := v.(*ssa.Const)
		return !constant && isCompared(v)
	})
}

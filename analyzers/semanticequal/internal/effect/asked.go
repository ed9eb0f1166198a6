package effect

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isAskedAgain reports whether an instruction is reached only where something later than a
// comparison has found a difference, too: another comparison of one of the two objects, or
// one that has put what differs into a map or list which is not empty.
//
//	if !reflect.DeepEqual(updated.Status, before.Status) { // values of one type
//		r.Status().Update(ctx, updated)
func (c In) isAskedAgain(call *ssa.Call, write ssa.Instruction, x, y ssa.Value) bool {
	if write.Parent() != call.Parent() {
		return false
	}
	compared := [2]paths.Object{c.Sums.Resolve.Place(x).Object, c.Sums.Resolve.Place(y).Object}
	for branch, held := range blocks.Decided(write.Block()) {
		if gathered := values.Filled(branch.Cond, held); gathered != nil && isMadeSince(call, gathered) {
			return true
		}
		asked, holds := values.Asked(branch.Cond, held)
		again, ok := asked.(*ssa.Call)
		if !ok || holds || again == call || !blocks.Follows(call, again) {
			continue
		}
		other := kubeapi.ComparisonOf(again.Common())
		if other.Kind == kubeapi.NoComparison || DifferInType(other.X, other.Y) {
			continue
		}
		for _, side := range [2]ssa.Value{other.X, other.Y} {
			if object := c.Sums.Resolve.Place(kubeapi.Unboxed(side)).Object; object == compared[0] || object == compared[1] {
				return true
			}
		}
	}
	return false
}

// isMadeSince reports whether a map or list is made after a comparison.
func isMadeSince(call *ssa.Call, v ssa.Value) bool {
	switch v := calls.Behind(v).(type) {
	case *ssa.MakeMap:
		return blocks.Follows(call, v)
	case *ssa.MakeSlice:
		return blocks.Follows(call, v)
	}
	return false
}

package effect

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Sends tells of a write whether it sends what is equal by meaning, too: patch helpers and
// CreateOrUpdate compare once more, by that, and send nothing then. Nor does one count that
// sends something else than what was compared.
func (c In) Sends(call *ssa.Call, x, y ssa.Value) func(ssa.Instruction, objects.Write) bool {
	return func(write ssa.Instruction, w objects.Write) bool {
		return !w.IfChanged && !c.isComputedAnew(call, write, x, y) && !c.isComputedAnew(call, write, y, x)
	}
}

// isComputedAnew reports whether a function that asks one with a comparison has what was compared
// changed by a third one before it writes, which is not given what it was compared with.
//
//	if differs(found, least) {
//		r.computeLimits(found)
//		return r.Update(ctx, found)
func (c In) isComputedAnew(call *ssa.Call, write ssa.Instruction, of, other ssa.Value) bool {
	return slices.ContainsFunc(c.Sums.Calls.Callers(call.Parent()), func(asked ssa.CallInstruction) bool {
		outside := outside(asked, call.Parent())
		compared, with := c.placeFrom(outside, of), c.placeFrom(outside, other)
		return asked.Parent() == write.Parent() && blocks.Any(write.Parent(), func(change ssa.CallInstruction) bool {
			return blocks.Follows(asked, change) && blocks.Precedes(change, write) && !c.isHanded(change, with.Object) &&
				slices.ContainsFunc(c.Sums.Events(change), func(e objects.Event) bool {
					return e.Kind == objects.Mutated && e.Place.Object == compared.Object && len(e.Place.Sub) > 0 && paths.Overlap(e.Place.Sub, compared.Sub)
				})
		})
	})
}

// isHanded reports whether a call is given an object.
func (c In) isHanded(call ssa.CallInstruction, object paths.Object) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return c.Sums.Resolve.Place(v).Object == object })
}

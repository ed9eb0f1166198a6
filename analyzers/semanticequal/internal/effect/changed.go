package effect

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// isJustChanged reports whether a comparison stands in a branch that has just changed the
// object where it was found to be another one: the two differ, whatever the comparison says.
//
//	if obj.Annotations["version"] != version { obj.Annotations["version"] = version; … }
func (c In) isJustChanged(call *ssa.Call, x, y ssa.Value) bool {
	compared := []paths.Object{c.Sums.Resolve.Place(x).Object, c.Sums.Resolve.Place(y).Object}
	for branch, held := range blocks.Decided(call.Block()) {
		side := blocks.Side(branch, held)
		for _, asked := range c.placesOf(branch.Cond) {
			if !slices.Contains(compared, asked.Object) || side == nil {
				continue
			}
			for instr := range blocks.Instrs(call.Parent()) {
				if side.Dominates(instr.Block()) && blocks.Precedes(instr, call) && c.changes(instr, asked) {
					return true
				}
			}
		}
	}
	return false
}

// isMovedOn reports whether a copy, which one side is, was made while an object was in another
// state than the one that it is compared in: the function has set a field to a constant before,
// and sets it to another one since then.
//
//	defer func() {
//		before := obj.Status.DeepCopy() // Creating, which the function begins with
//		obj.Status.Phase = Running
func (c In) isMovedOn(call *ssa.Call, x, y ssa.Value) bool {
	return c.isSetSince(call, x, y) || c.isSetSince(call, y, x)
}

func (c In) isSetSince(call *ssa.Call, copied, now ssa.Value) bool {
	made, _ := calls.CallOf(calls.Behind(copied))
	if made == nil || !kubeapi.IsDeepCopy(kubeapi.Callee(made.Common())) || made.Parent() != call.Parent() {
		return false
	}
	object := c.Sums.Resolve.Place(now).Object
	return blocks.Any(call.Parent(), func(since *ssa.Store) bool {
		state, ok := since.Val.(*ssa.Const)
		field := calls.FieldAt(since.Addr)
		return ok && field != nil && blocks.Precedes(made, since) && blocks.Precedes(since, call) && c.Sums.Resolve.Place(since.Addr).Object == object &&
			blocks.Any(paths.Outermost(call.Parent()), func(before *ssa.Store) bool {
				other, ok := before.Val.(*ssa.Const)
				if !ok || calls.FieldAt(before.Addr) != field || other.Value == nil || state.Value == nil || constant.Compare(other.Value, token.EQL, state.Value) {
					return false
				}
				if before.Parent() == made.Parent() {
					return blocks.Precedes(before, made)
				}
				return blocks.Inevitable(before.Block())
			})
	})
}

// placesOf returns the places in objects that a condition looks at.
func (c In) placesOf(cond ssa.Value) []paths.Place {
	var found []paths.Place
	note := func(v ssa.Value) {
		v = calls.Behind(v)
		if extract, ok := v.(*ssa.Extract); ok {
			v = extract.Tuple
		}
		if lookup, ok := v.(*ssa.Lookup); ok {
			v = lookup.X
		}
		if p := c.Sums.Resolve.Place(v); p.IsInside() {
			found = append(found, p)
		}
	}
	if op, ok := cond.(*ssa.BinOp); ok {
		note(op.X)
		note(op.Y)
	} else {
		note(cond)
	}
	return found
}

// changes reports whether an instruction changes a place in an object.
func (c In) changes(instr ssa.Instruction, at paths.Place) bool {
	return slices.ContainsFunc(c.Sums.Events(instr), func(e objects.Event) bool {
		return e.Kind == objects.Mutated && e.Place.Object == at.Object && len(e.Place.Sub) > 0 && len(at.Sub) > 0 && paths.Overlap(e.Place.Sub, at.Sub)
	})
}

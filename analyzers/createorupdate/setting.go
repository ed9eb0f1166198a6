package createorupdate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// setting is a field that is set, and the instruction that does.
type setting struct {
	objects.Event
	at ssa.Instruction
}

// isThroughPart reports whether a function that is handed a part of an object, such as a
// list, changes what that part shares with the object: the object itself nobody meant to
// change.
func (c *checker) isThroughPart(site objects.Site) bool {
	if _, ok := site.Node.Instr.(ssa.CallInstruction); !ok || site.Arg == nil {
		return false
	}
	place := c.Resolve.Place(site.Arg)
	return place.Object == site.Place.Object && len(place.Sub) > 0
}

// isConstant reports whether what a field is set to is written out in the program.
func isConstant(e setting) bool {
	store, ok := e.at.(*ssa.Store)
	return ok && e.Via == nil && literals.IsWrittenOut(store.Val)
}

// isRandom reports whether the functions that set a field, one that calls them, or one that
// these call, make something random: a password must not change in each reconcile.
func (c *checker) isRandom(lost []setting) bool {
	var fns []*ssa.Function
	for _, e := range lost {
		if !isMetadata(e) {
			fns = append(fns, e.at.Parent())
		}
	}
	return slices.ContainsFunc(c.Calls.Around(fns, 1, maxCallers), func(fn *ssa.Function) bool {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if kubeapi.MakesSecret(kubeapi.Callee(call.Common())) {
				return true
			}
		}
		return false
	})
}

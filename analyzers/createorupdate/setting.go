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
	add := func(fn *ssa.Function) {
		if fn != nil && !slices.Contains(fns, fn) && len(fns) < maxFuncs {
			fns = append(fns, fn)
		}
	}
	for _, e := range lost {
		if isMetadata(e) {
			continue
		}
		add(e.at.Parent())
	}
	for _, fn := range slices.Clone(fns) {
		for _, call := range c.Calls.Callers(fn) {
			add(call.Parent())
		}
	}
	for range maxCallers {
		for _, fn := range slices.Clone(fns) {
			for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
				for _, target := range c.Calls.Callees(call).Funcs {
					add(target)
				}
			}
		}
	}
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		for instr := range blocks.Instrs(fn) {
			if call, ok := instr.(ssa.CallInstruction); ok && kubeapi.MakesSecret(kubeapi.Callee(call.Common())) {
				return true
			}
		}
		return false
	})
}

// maxFuncs bounds the functions that are looked into.
const maxFuncs = 60

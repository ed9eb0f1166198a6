package createorupdate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// setting is a field that is set, and the instruction that does.
type setting struct {
	objects.Event
	at        ssa.Instruction
	fixedSpec bool // the CRD of the kind forbids changes of the spec
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

// isImmutability reports whether a Secret or ConfigMap is told never to change.
func isImmutability(e setting) bool {
	return len(e.Place.Sub) == 1 && e.Place.Sub[0] == "Immutable"
}

// isWished reports whether a field is set to what somebody wishes, by the spec of a custom resource, and
// may wish otherwise, in an object that is kept as it should be: one of Kubernetes' own, or any that
// others have not made secret, if the function does nothing at all.
func (c *checker) isWished(e setting, nothing bool) bool {
	of := kind(e)
	if isMetadata(e) || of == nil || !kubeapi.IsKept(of) && (!nothing || kubeapi.IsBuiltin(kubeapi.KindID(of))) {
		return false
	}
	return slices.ContainsFunc(setTo(e.at), c.wishes.Has)
}

// isRandom reports whether what a field is set to is made by chance or of the moment, or the
// functions that set it, one that calls them, or one that these call, make something random:
// a password must not change in each reconcile.
func (c *checker) isRandom(lost []setting) bool {
	var fns []*ssa.Function
	for _, e := range lost {
		if isMetadata(e) {
			continue
		}
		if slices.ContainsFunc(setTo(e.at), c.chances.Comes) {
			return true
		}
		fns = append(fns, e.at.Parent())
	}
	return slices.ContainsFunc(c.Calls.Around(fns, 1, maxCallers), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool { return kubeapi.MakesSecret(kubeapi.Callee(call.Common())) })
	})
}

// setTo are the values that an instruction sets a field to, or hands to who does, with what
// that answers.
func setTo(at ssa.Instruction) []ssa.Value {
	switch at := at.(type) {
	case *ssa.Store:
		return []ssa.Value{at.Val}
	case *ssa.MapUpdate:
		return []ssa.Value{at.Value}
	case *ssa.Call:
		_, args := kubeapi.Args(at.Common())
		return append([]ssa.Value{at}, args...)
	}
	return nil
}

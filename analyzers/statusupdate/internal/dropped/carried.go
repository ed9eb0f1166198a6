package dropped

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// isCarriedOver reports whether the status of an object is set to that which the stored one
// has, so that an update leaves it alone: that of an object that was read, of another
// object of a kind whose controller is in another module, or what it was before it was written.
func (u *unit) isCarriedOver(set objects.Site) bool {
	store, ok := set.Node.Instr.(*ssa.Store)
	if !ok || !isWholeStatus(set.Place) {
		return false
	}
	load, ok := store.Val.(*ssa.UnOp)
	if !ok {
		return false
	}
	from := load.X
	copied, _ := calls.CallOf(from)
	if copied != nil && kubeapi.IsDeepCopy(kubeapi.Callee(copied.Common())) {
		from = kubeapi.Operands(copied.Common())[0]
	}
	place := u.Resolve.Place(from)
	if !isWholeStatus(place) || place.Kind != set.Place.Kind {
		return false
	}
	if place.Object == set.Place.Object {
		return copied != nil && u.isPutBack(copied, set)
	}
	if u.IsOthers(set.Event) {
		return true
	}
	isRead, isChanged := false, false
	for _, s := range u.Sites {
		if s.Place.Object.Root == place.Object.Root {
			isRead = isRead || s.Kind == objects.Refreshed
			isChanged = isChanged || subject.IsStatus(s.Event)
		}
	}
	return isRead && !isChanged
}

// isPutBack reports whether a copy of the status was made before a write of that, and is set again
// after it: the API server's answer has taken the status' place in between.
func (u *unit) isPutBack(copied *ssa.Call, set objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.WrittenTo(kubeapi.StatusEndpoint) && u.MayBe(s.Place.Object, set.Place.Object) && u.Graph.Reaches(s.Node, set.Node) &&
			slices.ContainsFunc(u.Graph.At(copied), func(n *paths.Node) bool { return u.Graph.Reaches(n, s.Node) })
	})
}

// isKept reports whether a status is set through a pointer to a part of it that the code still uses
// after a write: what it points to is put back, or written, from there.
func (u *unit) isKept(set, write objects.Site) bool {
	part := set.Arg // that a helper gets
	if store, ok := set.Node.Instr.(*ssa.Store); ok {
		part = store.Addr
		for field, ok := part.(*ssa.FieldAddr); ok; field, ok = part.(*ssa.FieldAddr) {
			part = field.X
		}
	}
	if part == nil || kubeapi.KindOf(kubeapi.Deref(part.Type())) != nil || kubeapi.IsObject(part.Type()) {
		return false
	}
	for call := range blocks.UsesOf[*ssa.Call](part) {
		for _, n := range u.Graph.At(call) {
			if n != set.Node && n != write.Node && u.Graph.Reaches(write.Node, n) {
				return true
			}
		}
	}
	return false
}

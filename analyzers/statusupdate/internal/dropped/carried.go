package dropped

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// isCarriedOver reports whether the status of an object is set to that which the stored one
// has, so that an update leaves it alone: that of an object that was read, or of another
// object of a kind whose controller is in another module.
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
	if call, _ := calls.CallOf(from); call != nil && kubeapi.IsDeepCopy(kubeapi.Callee(call.Common())) {
		from = kubeapi.Operands(call.Common())[0]
	}
	place := u.Resolve.Place(from)
	if !isWholeStatus(place) || place.Kind != set.Place.Kind || place.Object == set.Place.Object {
		return false
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
	if part == nil || part.Referrers() == nil || kubeapi.KindOf(kubeapi.Deref(part.Type())) != nil || kubeapi.IsObject(part.Type()) {
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

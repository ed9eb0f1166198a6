package dropped

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
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

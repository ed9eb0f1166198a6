package statusupdate

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/summary"
)

// copies finds a copy of a status, or of an object, whose status is changed
// while the original is what gets written.
func (u *unit) copies() {
	seen := make(map[ssa.Value]bool)
	for _, s := range u.sites {
		if s.Kind != summary.Copied || s.Copy == nil || seen[s.Copy] {
			continue
		}
		seen[s.Copy] = true
		u.copied(s)
	}
	for _, n := range u.graph.Nodes {
		// st := obj.Status copies by value.
		store, ok := n.Instr.(*ssa.Store)
		if !ok || seen[store.Addr] {
			continue
		}
		alloc, ok := store.Addr.(*ssa.Alloc)
		if !ok || !isStatusOf(u.Resolve.Place(store.Val)) || !isStructType(store.Val.Type()) {
			continue
		}
		seen[alloc] = true
		place := u.Resolve.Place(store.Val)
		u.copied(site{summary.Event{Kind: summary.Copied, Place: place, Type: place.Kind, Copy: alloc}, n})
	}
}

func isStatusOf(p flow.Place) bool {
	return p.Kind != nil && len(p.Sub) == 1 && p.Aspect() == kubeapi.Status
}

func isStructType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// copied judges one copy.
func (u *unit) copied(copied site) {
	whole := len(copied.Place.Sub) == 0
	if !whole && !isStatusOf(copied.Place) {
		return
	}
	root := u.Resolve.Place(copied.Copy).Object
	var set *site
	for _, s := range u.sites {
		if s.Place.Object.Root != root.Root || s.Kind != summary.Mutated || s.Empty || s.node == copied.node {
			continue
		}
		if whole && s.Place.Aspect() != kubeapi.Status {
			return // changed for other purposes, too
		}
		if set == nil {
			set = &s
		}
	}
	if set == nil || !u.goesNowhere(copied.Copy, 0) {
		return
	}
	written := u.statusWriteOf(copied)
	if written == nil {
		return
	}
	what := "the status"
	if whole {
		what = "the object"
	}
	pos := copied.node.Instr.Pos()
	u.report.Report(rule.Finding{
		Pos: pos, Category: copyNotWritten,
		Message: fmt.Sprintf("status set %s is lost: it goes into this copy of %s, which is never put back into the %s that is written on line %d; assign the copy back before the write, or change the original",
			u.where(*set), what, typeName(kindOf(copied.Event)), u.line(written.node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.related(*set, "the copy is changed here"),
			u.related(*written, "the original is written here"),
		},
	})
}

// statusWriteOf returns the write of the original's status that misses what
// was set on the copy. If the original's own status is changed, too, the copy
// may have served another purpose.
func (u *unit) statusWriteOf(copied site) *site {
	var written *site
	for _, s := range u.sites {
		if s.Place.Object != copied.Place.Object {
			continue
		}
		switch {
		case isStatus(s.Event):
			return nil
		case s.Kind == summary.Written && !s.ViaCopy && s.Write.Endpoint == kubeapi.StatusEndpoint && written == nil:
			written = &s
		}
	}
	return written
}

// goesNowhere reports whether a copy is only changed in place and read field
// by field: it is stored, returned, compared and written nowhere.
func (u *unit) goesNowhere(v ssa.Value, depth int) bool {
	if depth > 6 || v.Referrers() == nil {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr, *ssa.Field, *ssa.DebugRef:
		case *ssa.Store:
			if ref.Addr == v {
				continue
			}
			alloc, ok := ref.Addr.(*ssa.Alloc)
			if !ok || isStructType(alloc.Type().Underlying().(*types.Pointer).Elem()) || !u.variableGoesNowhere(alloc, depth+1) {
				return false
			}
		case *ssa.MakeClosure:
			// A captured struct variable.
			for i, binding := range ref.Bindings {
				if binding == v && !u.goesNowhere(ref.Fn.(*ssa.Function).FreeVars[i], depth+1) {
					return false
				}
			}
		case ssa.CallInstruction:
			if !u.onlyChanges(ref, v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// variableGoesNowhere is goesNowhere for what a variable holds.
func (u *unit) variableGoesNowhere(addr ssa.Value, depth int) bool {
	if depth > 6 || addr.Referrers() == nil {
		return false
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.UnOp:
			if !u.goesNowhere(ref, depth+1) {
				return false
			}
		case *ssa.MakeClosure:
			for i, binding := range ref.Bindings {
				if binding == addr && !u.variableGoesNowhere(ref.Fn.(*ssa.Function).FreeVars[i], depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// onlyChanges reports whether a call does nothing with the copy v but change
// it in place.
func (u *unit) onlyChanges(call ssa.CallInstruction, v ssa.Value) bool {
	changes := false
	for _, e := range u.Events(call) {
		if e.Arg != v {
			continue
		}
		if e.Kind != summary.Mutated {
			return false
		}
		changes = true
	}
	return changes
}

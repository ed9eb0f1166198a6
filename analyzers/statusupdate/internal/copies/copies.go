// Package copies finds changes of the status that are made to a copy, and written by nobody.
package copies

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds a copy of a status, or of an object, whose status is changed
// while the original is what gets written.
func Report(in *subject.Function) {
	u := &unit{in}
	seen := make(map[ssa.Value]bool)
	for _, s := range u.Sites {
		if s.Kind != objects.Copied || s.Copy == nil || seen[s.Copy] {
			continue
		}
		seen[s.Copy] = true
		u.judgeCopy(s)
	}
	for _, n := range u.Graph.Nodes {
		// st := obj.Status and cond := obj.Status.Conditions[i] copy by value.
		store, ok := n.Instr.(*ssa.Store)
		if !ok || seen[store.Addr] {
			continue
		}
		alloc, ok := store.Addr.(*ssa.Alloc)
		if !ok {
			continue
		}
		place := u.Resolve.Place(store.Val)
		if place.Kind == nil || place.Aspect() != kubeapi.Status {
			continue
		}
		seen[alloc] = true
		copied := objects.Site{Event: objects.Event{Kind: objects.Copied, Place: place, Type: place.Kind, Copy: alloc}, Node: n}
		switch store.Val.Type().Underlying().(type) {
		case *types.Struct:
			u.judgeCopy(copied)
		case *types.Slice:
			u.copiedSlice(copied, alloc)
		}
	}
}

func isStructType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// judgeCopy judges one copy.
func (u *unit) judgeCopy(copied objects.Site) {
	whole := len(copied.Place.Sub) == 0
	if !whole && copied.Place.Aspect() != kubeapi.Status {
		return
	}
	root := u.Resolve.Place(copied.Copy).Object
	var set *objects.Site
	for _, s := range u.Sites {
		if s.Place.Object.Root != root.Root || s.Kind != objects.Mutated || s.Empty || s.Node == copied.Node {
			continue
		}
		if whole && s.Place.Aspect() != kubeapi.Status {
			return // changed for other purposes, too
		}
		if set == nil {
			set = &s
		}
	}
	if set == nil || !u.goesNowhere(copied.Copy, 0) || u.handsOn(set.Place) {
		return
	}
	written := u.statusWriteOf(copied)
	if written == nil {
		return
	}
	what := "the status"
	switch {
	case whole:
		what = "the object"
	case len(copied.Place.Sub) > 1:
		what = "a part of the status"
	}
	u.reportCopy(copied, *set, *written, what)
}

// copiedSlice judges a copy of a slice header: what is appended through its
// address is in the copy only.
func (u *unit) copiedSlice(copied objects.Site, alloc *ssa.Alloc) {
	var set *objects.Site
	for _, ref := range *alloc.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != alloc || ref != copied.Node.Instr {
				return
			}
		case *ssa.Call:
			if !u.OnlyChanges(ref, alloc) {
				return
			}
			if set == nil {
				for _, n := range u.Graph.At(ref) {
					set = &objects.Site{Event: u.At(n)[0], Node: n}
				}
			}
		default:
			return // used further
		}
	}
	if set == nil {
		return
	}
	for _, s := range u.Sites {
		if s.Place.Object == copied.Place.Object && s.Kind == objects.Written && !s.ViaCopy && s.Write.Endpoint == kubeapi.StatusEndpoint {
			u.reportCopy(copied, *set, s, "a slice of the status")
			return
		}
	}
}

func (u *unit) reportCopy(copied, set, written objects.Site, what string) {
	u.Copied[u.Resolve.Place(copied.Copy).Object] = true
	pos := copied.Node.Instr.Pos()
	u.Report.Report(rule.Finding{
		Pos: pos, Category: subject.CopyNotWritten,
		Message: fmt.Sprintf("status set %s is lost: it goes into this copy of %s, and line %d writes the original; assign the copy back before",
			u.Where(set), what, u.Line(written.Node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.Related(set, "the copy is changed here"),
			u.Related(written, "the original is written here"),
		},
	})
}

// handsOn reports whether what a place holds is read and then used for more
// than a comparison: it may be sent by itself, in a patch made by hand.
func (u *unit) handsOn(place paths.Place) bool {
	for _, n := range u.Graph.Nodes {
		load, ok := n.Instr.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || n.Joins != nil {
			continue
		}
		from := u.Resolve.Place(load.X)
		if from.Object != place.Object || !slices.Equal(from.Sub, place.Sub) {
			continue
		}
		if slices.ContainsFunc(*load.Referrers(), func(use ssa.Instruction) bool {
			_, compared := use.(*ssa.BinOp)
			return !compared
		}) {
			return true
		}
	}
	return false
}

// statusWriteOf returns the write of the original's status that misses what
// was set on the copy. If the original's own status is changed, too, the copy
// may have served another purpose.
func (u *unit) statusWriteOf(copied objects.Site) *objects.Site {
	var written *objects.Site
	for _, s := range u.Sites {
		if s.Place.Object != copied.Place.Object {
			continue
		}
		switch {
		case subject.IsStatus(s.Event):
			return nil
		case s.Kind == objects.Written && !s.ViaCopy && s.Write.Endpoint == kubeapi.StatusEndpoint && written == nil && u.Graph.Reaches(copied.Node, s.Node):
			written = &s
		}
	}
	return written
}

// goesNowhere reports whether a copy is only changed in place and read field
// by field: it is stored, returned, compared and written nowhere.
func (u *unit) goesNowhere(v ssa.Value, depth int) bool {
	return depth <= 6 && !slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.FieldAddr, *ssa.Field:
			return false
		case *ssa.Store:
			alloc, ok := ref.Addr.(*ssa.Alloc)
			return ref.Addr != v && (!ok || isStructType(kubeapi.Deref(alloc.Type())) || !u.variableGoesNowhere(alloc, depth+1))
		case *ssa.MakeClosure:
			// A captured struct variable.
			return !u.goesNowhere(ref.Fn.(*ssa.Function).FreeVars[slices.Index(ref.Bindings, v)], depth+1)
		case ssa.CallInstruction:
			return !u.OnlyChanges(ref, v) || mayGiveBack(ref, v)
		}
		return true
	})
}

// mayGiveBack reports whether a call may return what it was handed, as builders do.
func mayGiveBack(call ssa.CallInstruction, v ssa.Value) bool {
	return kubeapi.AnyIs(call.Common().Signature().Results(), func(t types.Type) bool { return types.Identical(t, v.Type()) })
}

// variableGoesNowhere is goesNowhere for what a variable holds.
func (u *unit) variableGoesNowhere(addr ssa.Value, depth int) bool {
	loads, all := values.Loads(addr)
	return depth <= 6 && all && !slices.ContainsFunc(loads, func(load ssa.Value) bool { return !u.goesNowhere(load, depth+1) })
}

package cleanups

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// another reports whether a path that came from a node deals with another
// object than a removal from here on: the next round of the loop that the node
// is in has set the variable anew.
func (u *unit) another(n, from *paths.Node, r subject.Change) bool {
	return u.Resolve.Track(r.Object).Ends(n) && u.Graph.Reaches(n, from)
}

// belongs reports whether a call concerns what belongs to an object: it is told
// by something that is computed from the object, or from the key by which
// that was read.
func (u *unit) belongs(call *ssa.Call, o paths.Object) bool {
	w := &maker{u: u, object: o, keys: u.keysOf(o), seen: make(map[ssa.Value]bool)}
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return w.isMadeOf(v, 0) })
}

// isListedLater reports whether an object is one of a list that is read after a node only:
// what is done there is done for all of them, or for something else, whatever becomes of
// this one.
func (u *unit) isListedLater(n *paths.Node, o paths.Object) bool {
	if copied := u.CopyOf(o); copied != nil {
		o = u.Resolve.Place(copied).Object
	}
	if !strings.HasSuffix(o.Path, ".[]") {
		return false
	}
	read := false
	for _, s := range u.Sites {
		if s.Kind != objects.Refreshed || s.Place.Object.Root != o.Root {
			continue
		}
		if u.Graph.Reaches(s.Node, n) {
			return false
		}
		read = true
	}
	return read
}

// keysOf returns the parameters by which an object is read.
func (u *unit) keysOf(o paths.Object) []*ssa.Parameter {
	var keys []*ssa.Parameter
	for _, s := range u.Sites {
		call, ok := s.Node.Instr.(ssa.CallInstruction)
		if s.Kind != objects.Refreshed || !ok || !u.MayBe(s.Place.Object, o) {
			continue
		}
		for _, p := range u.Fn.Params {
			if kubeapi.IsContext(p.Type()) || subject.ReachesClient(p.Type()) {
				continue
			}
			w := &maker{u: u, keys: []*ssa.Parameter{p}, seen: make(map[ssa.Value]bool)}
			if slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return w.isMadeOf(v, 0) }) {
				keys = append(keys, p)
			}
		}
	}
	return keys
}

// maker follows values back to what they are computed from.
type maker struct {
	u      *unit
	object paths.Object
	keys   []*ssa.Parameter
	seen   map[ssa.Value]bool
}

// maxMade bounds how far values are followed back.
const maxMade = 25

func (w *maker) isMadeOf(v ssa.Value, depth int) bool {
	if v == nil || w.seen[v] || depth > maxMade || kubeapi.IsContext(v.Type()) {
		return false
	}
	w.seen[v] = true
	if w.object.Root != nil {
		if place := w.u.Resolve.Place(v); w.u.MayBe(place.Object, w.object) {
			return true
		}
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		// A name beside the object is its own, as the caller has computed it.
		_, isName := v.Type().Underlying().(*types.Basic)
		return slices.Contains(w.keys, v) || isName && w.object.Root != nil
	case *ssa.FreeVar:
		return w.isMadeOf(w.u.Calls.Binding(v), depth+1)
	case *ssa.Alloc:
		return w.isStoredInto(v, depth)
	case ssa.Instruction:
		for _, operand := range v.Operands(nil) {
			if *operand != nil && w.isMadeOf(*operand, depth+1) {
				return true
			}
		}
	}
	return false
}

// isStoredInto looks at what is stored into a variable, its fields and elements.
func (w *maker) isStoredInto(v ssa.Value, depth int) bool {
	return slices.ContainsFunc(storedUnder(v, 0), func(stored ssa.Value) bool { return w.isMadeOf(stored, depth+1) })
}

func storedUnder(addr ssa.Value, depth int) []ssa.Value {
	if addr.Referrers() == nil || depth > 4 {
		return nil
	}
	var found []ssa.Value
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				found = append(found, ref.Val)
			}
		case *ssa.FieldAddr:
			found = append(found, storedUnder(ref, depth+1)...)
		case *ssa.IndexAddr:
			found = append(found, storedUnder(ref, depth+1)...)
		}
	}
	return found
}

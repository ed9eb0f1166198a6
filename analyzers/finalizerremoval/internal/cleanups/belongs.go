package cleanups

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
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
	return u.isToldBy(call, o, u.keysOf(o))
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
			if u.isToldBy(call, paths.Object{}, []*ssa.Parameter{p}) {
				keys = append(keys, p)
			}
		}
	}
	return keys
}

// isToldBy reports whether something that a call is given is computed from an object, if there is one, or
// from one of some parameters. A name beside the object is its own, as the caller has computed it.
func (u *unit) isToldBy(call ssa.CallInstruction, o paths.Object, keys []*ssa.Parameter) bool {
	madeOf := values.Relation{Until: func(v ssa.Value) bool { return kubeapi.IsContext(v.Type()) }, More: func(v ssa.Value) []ssa.Value {
		switch v := v.(type) {
		case *ssa.FreeVar:
			return []ssa.Value{u.Calls.Binding(v)}
		case *ssa.Alloc:
			return storedUnder(v, 0)
		}
		return values.Operands(v)
	}}
	is := func(v ssa.Value) bool {
		if kubeapi.IsContext(v.Type()) {
			return false
		}
		if o.Root != nil && u.MayBe(u.Resolve.Place(v).Object, o) {
			return true
		}
		p, ok := v.(*ssa.Parameter)
		if !ok {
			return false
		}
		_, isName := v.Type().Underlying().(*types.Basic)
		return slices.Contains(keys, p) || isName && o.Root != nil
	}
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return madeOf.Any(v, is) })
}

// storedUnder returns what is stored into a variable, its fields and elements.
func storedUnder(addr ssa.Value, depth int) []ssa.Value {
	if depth > 4 {
		return nil
	}
	var found []ssa.Value
	for ref := range blocks.Uses(addr) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				found = append(found, ref.Val)
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			found = append(found, storedUnder(ref.(ssa.Value), depth+1)...)
		}
	}
	return found
}

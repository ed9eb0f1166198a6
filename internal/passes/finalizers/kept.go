package finalizers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Assigned returns the list that an instruction makes the finalizers of an
// object, and the object.
func (i *Finalizers) Assigned(instr ssa.Instruction) (place paths.Place, list ssa.Value, ok bool) {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok || !isFinalizersField(addr) {
			return place, nil, false
		}
		return i.Place(addr), instr.Val, true
	case *ssa.Call:
		if !kubeapi.IsFinalizerSetter(kubeapi.Callee(instr.Common())) {
			return place, nil, false
		}
		recv, args := kubeapi.Args(instr.Common())
		if recv == nil || len(args) != 1 {
			return place, nil, false
		}
		place = i.Place(recv)
		if place.Kind == nil {
			place.Kind = kubeapi.KindOfValue(recv)
		}
		return place, args[0], true
	}
	return place, nil, false
}

// CarriesOn reports whether a node makes the finalizers of an object those of another one of
// its kind, which the function writes or hands to another one then, such as an object with
// nothing else in it for a server-side apply: that stores what has been changed in the list.
func (i *Finalizers) CarriesOn(u *objects.Unit, n *paths.Node, o paths.Object, kind *types.Named) bool {
	if n.Joins != nil {
		return false
	}
	to, list, ok := i.Assigned(n.Instr)
	if !ok {
		return false
	}
	to = i.withMeta(to)
	if i.Summaries.MayBe(to.Object, o) || !mayBeKind(to.Kind, kind) {
		return false
	}
	if _, of, ok := i.EditOf(list); !ok || !i.Summaries.MayBe(of, o) {
		return false
	}
	return slices.ContainsFunc(u.Graph.Nodes, func(later *paths.Node) bool {
		return later.Joins == nil && later.Call() != nil && u.Graph.Reaches(n, later) && i.mayStore(later.Call().Common(), to.Object)
	})
}

// withMeta is the place of an object whose metadata is put together by itself first, as the
// literal of an object has it; others are as they are.
func (i *Finalizers) withMeta(p paths.Place) paths.Place {
	if meta, ok := p.Object.Root.(*ssa.Alloc); ok && p.Kind == nil {
		for load := range blocks.UsesOf[*ssa.UnOp](meta) {
			for store := range blocks.UsesOf[*ssa.Store](load) {
				return i.Place(store.Addr)
			}
		}
	}
	return p
}

// mayStore reports whether a call may store an object that exists: a client's does not if it
// reads or creates, and what is not known may.
func (i *Finalizers) mayStore(common *ssa.CallCommon, o paths.Object) bool {
	if op, ok := i.Summaries.ClientOp(common); ok {
		return op.Object != nil && !op.Verb.Reads() && op.Verb != kubeapi.Create && op.Endpoint&kubeapi.MainEndpoint != 0 &&
			i.Summaries.MayBe(i.Place(op.Object).Object, o)
	}
	callee := kubeapi.Callee(common)
	if callee == nil || kubeapi.OnlyReads(callee) || kubeapi.IsDeepCopy(callee) || kubeapi.Logs(callee) {
		return false
	}
	_, args := kubeapi.Args(common) // its own methods change it in memory
	return slices.ContainsFunc(args, func(v ssa.Value) bool { return i.Summaries.MayBe(i.Place(v).Object, o) })
}

// KeptElements tells whether v is a list that a loop puts together of elements
// of an object's list of finalizers, and returns these as the loop reads them.
// Unlike an edit, the list may be another object's, and may be kept in a
// variable that function literals share.
func (i *Finalizers) KeptElements(v ssa.Value) []ssa.Value {
	var elements []ssa.Value
	seen := make(map[ssa.Value]bool)
	var gather func(v ssa.Value) bool
	gather = func(v ssa.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		if len(seen) > 8*maxTrace {
			return false
		}
		switch x := v.(type) {
		case *ssa.Phi:
			return !slices.ContainsFunc(x.Edges, func(edge ssa.Value) bool { return !gather(edge) })
		case *ssa.Call:
			kept, ok := i.kept(x)
			elements = append(elements, kept...)
			return ok && gather(x.Common().Args[0])
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return false
			}
			alloc, ok := calls.Captured(x.X).(*ssa.Alloc)
			if !ok {
				return false
			}
			stored := calls.StoredInto(alloc)
			return len(stored) > 0 && !slices.ContainsFunc(stored, func(v ssa.Value) bool { return !gather(v) })
		}
		e := i.editOf(v, 0)
		return e.known && e.from == nil && e.kind == Emptied
	}
	if !gather(v) {
		return nil
	}
	return elements
}

// kept returns what an append adds to a list if all of that are elements of objects' lists of
// finalizers.
func (i *Finalizers) kept(call *ssa.Call) (elements []ssa.Value, ok bool) {
	if !calls.IsBuiltin(call, "append") || len(call.Common().Args) != 2 {
		return nil, false
	}
	elements, ok = kubeapi.VariadicArgs(call.Common().Args[1])
	return elements, ok && !slices.ContainsFunc(elements, func(v ssa.Value) bool {
		from := elementOf(v)
		if from == nil {
			return true
		}
		_, known := i.listOf(from)
		return !known
	})
}

// keptInPlace tells whether list is the object's own list with an element of a list of
// finalizers behind it, as a loop appends those that it keeps, and returns the names that
// the loop compares them with.
func (i *Finalizers) keptInPlace(o paths.Object, list ssa.Value) ([]Name, bool) {
	call, ok := list.(*ssa.Call)
	if !ok {
		return nil, false
	}
	elements, ok := i.kept(call)
	if !ok || len(elements) == 0 {
		return nil, false
	}
	if own, ok := i.listOf(call.Common().Args[0]); !ok || own != o {
		return nil, false
	}
	var names []Name
	for _, v := range elements {
		for _, name := range i.compared(call.Parent(), elementOf(v)) {
			names = appendNew(names, name)
		}
	}
	return names, true
}

// RefillsInPlace reports whether an instruction puts a finalizer that a loop keeps back into
// an object's list: whether any was left out, it does not tell.
func (i *Finalizers) RefillsInPlace(instr ssa.Instruction) bool {
	place, list, ok := i.Assigned(instr)
	if ok {
		_, ok = i.keptInPlace(place.Object, list)
	}
	return ok
}

// refilled reports whether the function that empties an object's list puts those
// which it keeps back into it.
func (i *Finalizers) refilled(fn *ssa.Function, o paths.Object) bool {
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		place, list, ok := i.Assigned(store)
		if !ok || place.Object != o {
			continue
		}
		if _, kept := i.keptInPlace(o, list); kept {
			return true
		}
	}
	return false
}

// cut is a list out of which a loop cuts elements by their index, and goes on
// with what is left.
func (i *Finalizers) cut(phi *ssa.Phi, depth int) edit {
	cuts := false
	seen := make(map[ssa.Value]bool)
	var root func(v ssa.Value) (ssa.Value, bool)
	root = func(v ssa.Value) (ssa.Value, bool) {
		if seen[v] {
			return nil, true
		}
		switch x := v.(type) {
		case *ssa.Phi:
			seen[v] = true
			var only ssa.Value
			for _, edge := range x.Edges {
				from, ok := root(edge)
				if !ok || only != nil && from != nil && from != only {
					return nil, false
				}
				if from != nil {
					only = from
				}
			}
			return only, true
		case *ssa.Call:
			if !calls.IsBuiltin(x, "append") {
				break
			}
			head, isHead := x.Common().Args[0].(*ssa.Slice)
			tail, isTail := x.Common().Args[1].(*ssa.Slice)
			if isHead && isTail && head.X == tail.X && head.High != nil && tail.Low != nil {
				cuts = true
				return root(head.X)
			}
		}
		return v, true
	}
	from, ok := root(phi)
	if !ok || from == nil || !cuts {
		return edit{}
	}
	if _, again := from.(*ssa.Phi); again {
		return edit{}
	}
	e := i.editOf(from, depth+1)
	if !e.known || e.from == nil || e.kind != Replaced {
		return edit{}
	}
	return edit{from: e.from, kind: Removed, names: i.compared(phi.Parent(), e.from), known: true}
}

package paths

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Tracker follows one object along a path through the variables and merges
// that may hold it: after `if c { x = copy }`, x is the copy on the path that
// went through the assignment, and is not on the other.
type Tracker struct {
	resolve *Resolver
	object  Object
	names   []Object
}

// Names tells which variables and merges hold the tracked object at a point
// of a path.
type Names uint32

const maxNames = 32

// Track makes a tracker of an object.
func (r *Resolver) Track(o Object) *Tracker { return &Tracker{resolve: r, object: o} }

// Step returns the names after a node.
func (t *Tracker) Step(n *Node, known Known, names Names) Names {
	switch instr := n.Instr.(type) {
	case *ssa.Phi:
		if in := known.Incoming(instr); in != nil {
			return t.bind(names, Object{Root: instr}, in)
		}
	case *ssa.Store:
		addr := t.resolve.variable(instr.Addr)
		if alloc, ok := addr.(*ssa.Alloc); ok && holdsReference(alloc) {
			return t.bind(names, Object{Root: alloc, Path: ".*"}, instr.Val)
		}
		if field, ok := addr.(*ssa.FieldAddr); ok && isReference(instr.Val.Type()) {
			if p := t.resolve.Place(field); p.Kind == nil {
				return t.bind(names, p.Object, instr.Val)
			}
		}
	}
	return names
}

// bind makes name stand for v from here on.
func (t *Tracker) bind(names Names, name Object, v ssa.Value) Names {
	value := t.resolve.Place(v)
	is := len(value.Sub) == 0 && t.Is(value.Object, names)
	index := slices.Index(t.names, name)
	if index < 0 {
		if !is || name == t.object || len(t.names) == maxNames {
			return names
		}
		index = len(t.names)
		t.names = append(t.names, name)
	}
	if is {
		return names | 1<<index
	}
	return names &^ (1 << index)
}

// Is reports whether o is the tracked object at a point of the path.
func (t *Tracker) Is(o Object, names Names) bool {
	if o == t.object {
		return true
	}
	index := slices.Index(t.names, o)
	return index >= 0 && names&(1<<index) != 0
}

// MayBe reports whether o may be the tracked object, as far as the path does
// not tell.
func (t *Tracker) MayBe(o Object, names Names) bool {
	if t.Is(o, names) {
		return true
	}
	if slices.Contains(t.names, o) {
		return false // holds something else on this path
	}
	return t.resolve.MayBe(o, t.object)
}

// Makes reports whether a node makes an object or hands it back: the next round of a loop, or
// the next attempt, has another one.
func (n *Node) Makes(o Object) bool {
	v, ok := n.Instr.(ssa.Value)
	return ok && (v == o.Root || v == o.Index)
}

// Ends reports whether the tracked object ceases to be at a node: the node
// makes it anew, as in the next round of a loop, or assigns the variable that
// it is known by.
func (t *Tracker) Ends(n *Node) bool {
	if n.Makes(t.object) {
		return true
	}
	if alloc, ok := t.object.Root.(*ssa.Alloc); ok && t.object.Path == ".*" {
		store, ok := n.Instr.(*ssa.Store)
		return ok && store.Addr == alloc
	}
	if store, ok := n.Instr.(*ssa.Store); ok && t.object.Path != "" && isReference(store.Val.Type()) {
		// x.Cluster = other
		p := t.resolve.Place(store.Addr)
		return p.Kind == nil && p.Object == t.object && t.resolve.Place(store.Val).Object != t.object
	}
	return false
}

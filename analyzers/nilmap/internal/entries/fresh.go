package entries

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// freshAt returns the nodes at which a function makes an object, empty or by a
// literal. One that is decoded anywhere is filled from there, whatever ways lead past that.
func (m *Maps) freshAt(u *objects.Unit, s Slot) []*paths.Node {
	alloc, ok := s.object.Root.(*ssa.Alloc)
	if !ok || s.object.Path != "" || s.Kind == nil || alloc.Parent() != u.Fn || kubeapi.KindOf(alloc.Type().(*types.Pointer).Elem()) == nil {
		return nil
	}
	if slices.ContainsFunc(calls.StoredInto(alloc), func(stored ssa.Value) bool { return !literals.IsZero(stored) }) {
		return nil // a copy
	}
	if slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool { return m.Decodes(n, s.object) }) {
		return nil
	}
	return u.Graph.At(alloc)
}

// LacksAt reports whether the object of a store is made in the function, and comes to a node without
// the map.
func (m *Maps) LacksAt(u *objects.Unit, at *paths.Node, s Store) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.freshAt(u, s.Slot), func(made *paths.Node) bool { return m.reachable(u, made, s.Slot, true)[at] })
}

// leavesNil reports whether an instruction stores a literal around a map that does
// not have it.
func leavesNil(instr ssa.Instruction, stored, path []string) bool {
	store, ok := instr.(*ssa.Store)
	return ok && len(stored) < len(path) && literals.LeavesOut(store.Val, path[len(stored)])
}

// helps reports whether a call may make the map of an object that it is handed:
// it goes to another package, or to a function that stores something there.
func (m *Maps) helps(n *paths.Node, s Slot) bool {
	call := n.Call()
	if call == nil || n.Joins != nil {
		return false
	}
	targets := m.Calls.Callees(call).Funcs
	for i, operand := range kubeapi.Operands(call.Common()) {
		if !kubeapi.IsObject(operand.Type()) && !kubeapi.IsObjectMeta(operand.Type()) || !m.sameObject(operand, s) {
			continue
		}
		if callee := kubeapi.Callee(call.Common()); len(targets) == 0 && (callee == nil || !kubeapi.IsMetaGetter(callee) && !kubeapi.OnlyReads(callee)) {
			return true
		}
		for _, fn := range targets {
			if i < len(fn.Params) && m.storesInto(fn, fn.Params[i], s.Path) {
				return true
			}
		}
	}
	return false
}

// storesInto reports whether a function stores a map into a parameter's field, or
// hands the parameter on.
func (m *Maps) storesInto(fn *ssa.Function, p *ssa.Parameter, path []string) bool {
	return blocks.Any(fn, func(store *ssa.Store) bool {
		place := asSlot(m.Resolve.Place(store.Addr))
		return place.object.Root == ssa.Value(p) && paths.Overlap(place.Path, path)
	})
}

// Package parts tells what a value is put together with.
package parts

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Of returns what another module's function computes something of, and what is put into a
// map, a list or a struct.
func Of(graph *calls.Graph, v ssa.Value) []ssa.Value {
	if call, _ := calls.CallOf(v); call != nil {
		if len(graph.Callees(call).Funcs) > 0 {
			return nil
		}
		return call.Call.Args
	}
	var found []ssa.Value
	for use := range blocks.UsesOf[*ssa.MapUpdate](v) {
		if use.Map == v {
			found = append(found, use.Value)
		}
	}
	at := func(addr ssa.Value) {
		found = append(found, addr)
		for store := range blocks.Stores(addr) {
			found = append(found, store.Val)
		}
	}
	for addr := range blocks.UsesOf[*ssa.IndexAddr](v) {
		at(addr)
	}
	// Of an object, or of what is no part of one, such as a reconciler, a field says nothing of
	// another.
	if !kubeapi.IsAPIStruct(v.Type()) || kubeapi.KindOf(v.Type()) != nil {
		return found
	}
	if load, ok := v.(*ssa.UnOp); ok {
		if cell, ok := load.X.(*ssa.Alloc); ok {
			return append(calls.StoredInto(cell), cell) // a literal is put together in a variable
		}
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](v) {
		at(addr)
	}
	return found
}

package unordered

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// addedBy returns what a function of the package adds to whenever a loop calls it: the
// address of a list in what it is handed, or a writer; nil for none.
//
//	for name, value := range settings { addEnv(container, name, value) }
func addedBy(graph *calls.Graph, loop *loops.Loop, call *ssa.Call) (value ssa.Value, hash bool) {
	value, root := added(graph, call, 0)
	if root == nil || !isOutside(loop, root) {
		return nil, false
	}
	if addr, ok := value.(*ssa.FieldAddr); ok && value != root {
		if isFilledAt(call.Block(), addr) {
			return nil, false
		}
		return value, false
	}
	return root, kubeapi.IsHash(root.Type())
}

// added returns what a call adds to, and what that belongs to as the function of the call
// has it: for a writer, that is the same.
func added(graph *calls.Graph, call *ssa.Call, depth int) (value, root ssa.Value) {
	targets := graph.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed || len(targets.Funcs[0].Blocks) == 0 || depth > maxDepth {
		return nil, nil
	}
	fn := targets.Funcs[0]
	for instr := range blocks.Instrs(fn) {
		if !blocks.Inevitable(instr.Block()) {
			continue
		}
		switch instr := instr.(type) {
		case *ssa.Store:
			addr, ok := instr.Addr.(*ssa.FieldAddr)
			if !ok || !appendsTo(instr, addr) || looksThrough(fn, addr) {
				continue
			}
			if root := given(graph, call, blocks.Base(addr)); root != nil {
				return addr, root
			}
		case *ssa.Call:
			if writer := kubeapi.WriterOf(instr.Common()); writer != nil {
				if root := given(graph, call, writer); root != nil {
					return root, root
				}
				continue
			}
			value, inner := added(graph, instr, depth+1)
			if inner == nil {
				continue
			}
			if root := given(graph, call, blocks.Base(inner)); root != nil {
				if value == inner {
					value = root
				}
				return value, root
			}
		}
	}
	return nil, nil
}

// appendsTo reports whether a store puts a list back that elements were added to.
func appendsTo(store *ssa.Store, addr *ssa.FieldAddr) bool {
	call, ok := store.Val.(*ssa.Call)
	if !ok || !Appends(call) {
		return false
	}
	load, ok := call.Call.Args[0].(*ssa.UnOp)
	return ok && isSameField(load.X, addr)
}

func isSameField(v ssa.Value, addr *ssa.FieldAddr) bool {
	other, ok := v.(*ssa.FieldAddr)
	return ok && other.Field == addr.Field && types.Identical(other.X.Type(), addr.X.Type())
}

// looksThrough reports whether a function does anything else with the list of a field but to
// add to it: what is there already may keep its place.
func looksThrough(fn *ssa.Function, addr *ssa.FieldAddr) bool {
	for load := range blocks.InstrsOf[*ssa.UnOp](fn) {
		if !isSameField(load.X, addr) {
			continue
		}
		if slices.ContainsFunc(*load.Referrers(), func(ref ssa.Instruction) bool {
			call, ok := ref.(*ssa.Call)
			return !ok || !Appends(call) || call.Call.Args[0] != load
		}) {
			return true
		}
	}
	return false
}

// given returns what a function gets at a call for a parameter, or has captured; nil
// for all other values.
func given(graph *calls.Graph, call *ssa.Call, v ssa.Value) ssa.Value {
	v = calls.Behind(v)
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return calls.ArgumentOf(call, v)
	case *ssa.FreeVar:
		return graph.Binding(v)
	case *ssa.Alloc:
		if v.Parent() == call.Parent() {
			return v // that a literal has captured
		}
	}
	return nil
}

package handlergoroutine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/goroutines"
)

// races reports whether the object that a goroutine holds is seen to change while it runs:
// by the goroutine, or by the function that goes on beside it.
func races(graph *calls.Graph, leak *goroutines.Leak) bool {
	kind := kubeapi.KindOf(leak.Object)
	if kind == nil || leak.Spawn == nil {
		return false
	}
	start := leak.Start()
	for instr := range blocks.Instrs(start.Parent()) {
		if blocks.Follows(start, instr) && changes(instr, kind) {
			return true
		}
	}
	seen := make(map[*ssa.Function]bool)
	return slices.ContainsFunc(leak.Spawn.Bodies, func(fn *ssa.Function) bool { return changesIn(graph, fn, kind, seen) })
}

// maxBodies bounds the functions that are looked through for one goroutine.
const maxBodies = 20

func changesIn(graph *calls.Graph, fn *ssa.Function, kind *types.Named, seen map[*ssa.Function]bool) bool {
	if seen[fn] || len(seen) > maxBodies {
		return false
	}
	seen[fn] = true
	for instr := range blocks.Instrs(fn) {
		if changes(instr, kind) {
			return true
		}
		if call, ok := instr.(ssa.CallInstruction); ok && slices.ContainsFunc(graph.Callees(call).Funcs, func(fn *ssa.Function) bool { return changesIn(graph, fn, kind, seen) }) {
			return true
		}
	}
	return false
}

// changes reports whether an instruction writes to a field of an object of a kind, or has a client
// fill it in with the response.
func changes(instr ssa.Instruction, kind *types.Named) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr := instr.Addr
		for {
			field, ok := addr.(*ssa.FieldAddr)
			if !ok {
				return false
			}
			if kubeapi.KindOf(field.X.Type()) == kind {
				return true
			}
			addr = field.X
		}
	case ssa.CallInstruction:
		op, ok := kubeapi.ClientOp(instr.Common())
		return ok && op.Object != nil && kubeapi.KindOfValue(op.Object) == kind
	}
	return false
}

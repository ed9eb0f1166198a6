package maporder

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// happensOnce reports whether an instruction runs once in the life of an object: behind a
// field that is nil, and that is set there.
func happensOnce(graph *calls.Graph, instr ssa.Instruction) bool {
	return graph.Everywhere(instr, func(at *calls.Site) bool {
		for addr, from := range unordered.NilAt(at.Block()) {
			if isSetBehind(addr, from) {
				return true
			}
		}
		return false
	})
}

// isSetBehind reports whether a field of an API object is set in a block, or one that it
// dominates: then it is not nil the next time.
func isSetBehind(addr ssa.Value, block *ssa.BasicBlock) bool {
	asked, ok := addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsAPIStruct(asked.X.Type()) || block == nil {
		return false
	}
	for store := range blocks.InstrsOf[*ssa.Store](block.Parent()) {
		if !block.Dominates(store.Block()) || calls.IsNil(store.Val) {
			continue
		}
		if set, ok := store.Addr.(*ssa.FieldAddr); ok && calls.FieldOf(set.X.Type(), set.Field) == calls.FieldOf(asked.X.Type(), asked.Field) {
			return true
		}
	}
	return false
}

package semanticequal

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
)

// tells reports whether anything depends on what a comparison says: it is returned or kept,
// or the branch that asks it leads to something else on one side than on the other. One
// that only sets a variable to what it is anyway says nothing.
func tells(answer ssa.Value) bool {
	for ref := range blocks.Uses(answer) {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			if ref.Op == token.NOT && tells(ref) {
				return true
			}
		case *ssa.If:
			if sidesDiffer(ref.Block()) {
				return true
			}
		case *ssa.DebugRef:
		default:
			return true
		}
	}
	return false
}

// sidesDiffer reports whether the sides of a branch do something, or have a merge after them
// choose between values.
func sidesDiffer(block *ssa.BasicBlock) bool {
	merge := block.Succs[0]
	isEmpty := func(side *ssa.BasicBlock) bool {
		if len(side.Preds) != 1 || len(side.Succs) != 1 {
			return false
		}
		return !slices.ContainsFunc(side.Instrs, func(instr ssa.Instruction) bool {
			_, jump := instr.(*ssa.Jump)
			_, debug := instr.(*ssa.DebugRef)
			return !jump && !debug
		})
	}
	from := make(map[*ssa.BasicBlock]bool)
	for _, side := range block.Succs {
		if isEmpty(side) {
			from[side] = true
			merge = side.Succs[0]
		} else {
			from[block] = true
			merge = side
		}
	}
	for _, side := range block.Succs {
		if side != merge && (!from[side] || side.Succs[0] != merge) {
			return true
		}
	}
	for _, instr := range merge.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		var chosen ssa.Value
		for i, pred := range merge.Preds {
			switch v := phi.Edges[i]; {
			case !from[pred]:
			case chosen == nil:
				chosen = v
			case !values.Equal(v, chosen, func(ssa.Value) bool { return false }):
				return true
			}
		}
	}
	return false
}

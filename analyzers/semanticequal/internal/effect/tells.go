package effect

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/values"
)

// tells reports whether anything depends on what a comparison says: it is returned or kept,
// or the branch that asks it leads to something else on one side than on the other. One
// that only sets a variable to what it is anyway says nothing.
func tells(answer ssa.Value) bool {
	return slices.ContainsFunc(*answer.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			return ref.Op == token.NOT && tells(ref)
		case *ssa.If:
			return sidesDiffer(ref.Block())
		}
		return true
	})
}

// sidesDiffer reports whether the sides of a branch do something, or have a merge after them
// choose between values.
func sidesDiffer(block *ssa.BasicBlock) bool {
	merge := block.Succs[0]
	isEmpty := func(side *ssa.BasicBlock) bool {
		_, jump := side.Instrs[0].(*ssa.Jump)
		return jump && len(side.Preds) == 1
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

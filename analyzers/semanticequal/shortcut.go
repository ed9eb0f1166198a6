package semanticequal

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isShortcut reports whether a comparison by == only saves another one: where the two are
// not the same, a function is called with both.
func isShortcut(op *ssa.BinOp) bool {
	for branch := range blocks.UsesOf[*ssa.If](op) {
		differ := blocks.Side(branch, op.Op == token.NEQ)
		for _, block := range op.Parent().Blocks {
			if !blocks.Reaches(differ, block) {
				continue
			}
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && isGiven(call, op.X) && isGiven(call, op.Y) {
					return true
				}
			}
		}
	}
	return false
}

// isGiven reports whether a call is given a value, or what it points to.
func isGiven(call ssa.CallInstruction, v ssa.Value) bool {
	v = calls.Behind(v)
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(arg ssa.Value) bool {
		arg = calls.Behind(arg)
		if arg == v {
			return true
		}
		load, ok := arg.(*ssa.UnOp)
		return ok && load.Op == token.MUL && calls.Behind(load.X) == v
	})
}

package calls

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Failure returns the error that a comparison asks about, and whether it says, with that
// outcome, that there is one; nil for other comparisons.
func Failure(cmp *ssa.BinOp, yes bool) (err ssa.Value, failed bool) {
	if cmp.Op != token.EQL && cmp.Op != token.NEQ || !kubeapi.IsError(cmp.X.Type()) || !IsNil(cmp.Y) {
		return nil, false
	}
	return cmp.X, yes == (cmp.Op == token.NEQ)
}

// AfterFailure reports whether an instruction is reached only where something has failed,
// in its function.
func AfterFailure(instr ssa.Instruction) bool {
	for branch, holds := range blocks.Decided(instr.Block()) {
		if cmp, ok := branch.Cond.(*ssa.BinOp); ok {
			if err, failed := Failure(cmp, holds); err != nil && failed {
				return true
			}
		}
	}
	return false
}

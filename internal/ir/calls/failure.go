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

// FailedAt tells whether a call has failed wherever a block is reached, if it has been
// asked for its error, the last of its results, on the way there.
func FailedAt(block *ssa.BasicBlock, call *ssa.Call) (failed, known bool) {
	for branch, holds := range blocks.Decided(block) {
		if failed, known := failedIf(branch, holds, call); known {
			return failed, true
		}
	}
	return false, false
}

// FailedFrom is FailedAt for a block that is reached from one before it.
func FailedFrom(block, from *ssa.BasicBlock, call *ssa.Call) (failed, known bool) {
	if branch, ok := blocks.Last(from).(*ssa.If); ok && from.Succs[0] != from.Succs[1] {
		if failed, known := failedIf(branch, from.Succs[0] == block, call); known {
			return failed, true
		}
	}
	return FailedAt(from, call)
}

func failedIf(branch *ssa.If, holds bool, call *ssa.Call) (failed, known bool) {
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok {
		return false, false
	}
	results := call.Call.Signature().Results().Len()
	err, failed := Failure(cmp, holds)
	return failed, err != nil && isResult(err, call, results-1, results)
}

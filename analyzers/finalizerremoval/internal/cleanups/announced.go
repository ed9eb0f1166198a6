package cleanups

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// announces reports whether the failure of a call becomes an event of the object:
// to go on is a decision then, of which the user is told, and to return the error
// would keep the object while the other side is away.
func announces(call *ssa.Call) bool {
	for _, err := range errorsOf(call) {
		if err.Referrers() == nil {
			continue
		}
		for test := range blocks.UsesOf[*ssa.BinOp](err) {
			if test.Op != token.NEQ && test.Op != token.EQL || test.Referrers() == nil {
				continue
			}
			for branch := range blocks.UsesOf[*ssa.If](test) {
				failed := branch.Block().Succs[0]
				if test.Op == token.EQL {
					failed = branch.Block().Succs[1]
				}
				if emits(failed) {
					return true
				}
			}
		}
	}
	return false
}

// errorsOf returns the error among the results of a call.
func errorsOf(call *ssa.Call) []ssa.Value {
	if kubeapi.IsError(call.Type()) {
		return []ssa.Value{call}
	}
	var errs []ssa.Value
	if call.Referrers() == nil {
		return nil
	}
	for _, ref := range *call.Referrers() {
		if extract, ok := ref.(*ssa.Extract); ok && kubeapi.IsError(extract.Type()) {
			errs = append(errs, extract)
		}
	}
	return errs
}

// emits reports whether a block, or one that only it leads to, emits an event.
func emits(from *ssa.BasicBlock) bool {
	if len(from.Preds) > 1 {
		return false
	}
	for _, block := range from.Parent().Blocks {
		if !from.Dominates(block) {
			continue
		}
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if callee := kubeapi.Callee(call.Common()); callee != nil && kubeapi.IsEventRecorder(callee) {
					return true
				}
			}
		}
	}
	return false
}

package cleanups

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// announces reports whether the failure of a call becomes an event of the object:
// to go on is a decision then, of which the user is told, and to return the error
// would keep the object while the other side is away.
func announces(call *ssa.Call) bool {
	for _, err := range calls.AllResults(call) {
		if !kubeapi.IsError(err.Type()) {
			continue
		}
		for test := range blocks.UsesOf[*ssa.BinOp](err) {
			if test.Op != token.NEQ && test.Op != token.EQL {
				continue
			}
			for branch := range blocks.UsesOf[*ssa.If](test) {
				if emits(blocks.Side(branch, test.Op == token.NEQ)) {
					return true
				}
			}
		}
	}
	return false
}

// emits reports whether a block, or one that only it leads to, emits an event.
func emits(from *ssa.BasicBlock) bool {
	return len(from.Preds) <= 1 && blocks.Any(from.Parent(), func(call ssa.CallInstruction) bool {
		callee := kubeapi.Callee(call.Common())
		return from.Dominates(call.Block()) && callee != nil && kubeapi.IsEventRecorder(callee)
	})
}

package createorupdate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// onlyIfMissing reports whether a call is made only where a Get has said that the
// object is not there, here or in all callers of the function: it creates then.
func (c *checker) onlyIfMissing(call ssa.CallInstruction, depth int) bool {
	if behindNotFound(call.Block()) {
		return true
	}
	callers := c.Calls.Callers(call.Parent())
	if depth == maxCallers || len(callers) == 0 {
		return false
	}
	return !slices.ContainsFunc(callers, func(caller ssa.CallInstruction) bool { return !c.onlyIfMissing(caller, depth+1) })
}

// behindNotFound reports whether a block is reached only if IsNotFound was true.
func behindNotFound(block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		if asked, ok := branch.Cond.(*ssa.Call); ok && held && kubeapi.ErrorUseOf(kubeapi.Callee(asked.Common())) == kubeapi.TellsNotFound {
			return true
		}
	}
	return false
}

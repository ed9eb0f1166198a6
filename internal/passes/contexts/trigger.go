package contexts

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// acts reports whether a loop does something when it has received from a channel,
// and then receives again: the channel triggers work, and tells nobody to stop. ch
// is one of the channels of a select, or that of a plain receive.
func acts(receive ssa.Instruction, ch ssa.Value) bool {
	switch receive := receive.(type) {
	case *ssa.UnOp:
		block := receive.Block()
		return works(block, block.Instrs[slices.Index(block.Instrs, ssa.Instruction(receive))+1:], receive)
	case *ssa.Select:
		for _, block := range receive.Parent().Blocks {
			branch, ok := blocks.Last(block).(*ssa.If)
			if !ok {
				continue
			}
			sel, state := loops.SelectCase(branch.Cond)
			if sel == receive && state != nil && state.Chan == ch && state.Dir == types.RecvOnly && works(block.Succs[0], block.Succs[0].Instrs, receive) {
				return true
			}
		}
	}
	return false
}

// works reports whether a way leads from instructions of a block back to the receive
// on which more is done than to log.
func works(from *ssa.BasicBlock, instrs []ssa.Instruction, receive ssa.Instruction) bool {
	type at struct {
		block  *ssa.BasicBlock
		worked bool
	}
	seen := make(map[at]bool)
	var visit func(block *ssa.BasicBlock, instrs []ssa.Instruction, worked bool) bool
	visit = func(block *ssa.BasicBlock, instrs []ssa.Instruction, worked bool) bool {
		for _, instr := range instrs {
			if instr == receive {
				return worked
			}
			worked = worked || isWork(instr)
		}
		for _, succ := range block.Succs {
			if next := (at{succ, worked}); !seen[next] {
				seen[next] = true
				if visit(succ, succ.Instrs, worked) {
					return true
				}
			}
		}
		return false
	}
	return visit(from, instrs, false)
}

// isWork reports whether an instruction does something that others notice.
func isWork(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Send, *ssa.Go:
		return true
	case *ssa.Call:
		if _, ok := instr.Common().Value.(*ssa.Builtin); ok || kubeapi.IsCancel(instr.Common().Value.Type()) {
			return false
		}
		if _, ok := instr.Type().Underlying().(*types.Chan); ok {
			return false // time.After, ResultChan: what is received from next
		}
		callee := kubeapi.Callee(instr.Common())
		return !kubeapi.IsHarmless(callee) && !kubeapi.IsStop(callee)
	}
	return false
}

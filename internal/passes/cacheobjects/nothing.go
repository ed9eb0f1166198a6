package cacheobjects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
)

// maxMerged bounds the blocks that are gone back through for what is known to be nil.
const maxMerged = 4

// isNothingAt reports whether a value is nil wherever a block is reached: it was found to be, or the
// read that returned it has failed, on each way there.
func (u *unit) isNothingAt(block *ssa.BasicBlock, v ssa.Value, depth int) bool {
	if read := u.readBeside(v); read != nil {
		if failed, _ := calls.FailedAt(block, read); failed {
			return true
		}
	}
	made, ok := v.(ssa.Instruction)
	if !ok || depth > maxMerged || made.Block() == block || len(block.Preds) == 0 {
		return false
	}
	return !slices.ContainsFunc(block.Preds, func(from *ssa.BasicBlock) bool { return !u.isNothingFrom(block, from, v, depth) })
}

// isNothingFrom is isNothingAt for a block that is reached from one before it.
func (u *unit) isNothingFrom(block, from *ssa.BasicBlock, v ssa.Value, depth int) bool {
	if read := u.readBeside(v); read != nil {
		if failed, _ := calls.FailedFrom(block, from, read); failed {
			return true
		}
	}
	if branch, ok := blocks.Last(from).(*ssa.If); ok && from.Succs[0] != from.Succs[1] {
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if ok && (cmp.Op == token.EQL || cmp.Op == token.NEQ) && cmp.X == v && calls.IsNil(cmp.Y) {
			return (cmp.Op == token.EQL) == (from.Succs[0] == block)
		}
	}
	return u.isNothingAt(from, v, depth+1)
}

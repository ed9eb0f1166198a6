package cacheobjects

import (
	"github.com/opvet/opvet/internal/ir/blocks"
	"golang.org/x/tools/go/ssa"
)

// live reports whether a value may still be used in a block or after it, so
// that what is known of it must be kept.
func (u *unit) live(v ssa.Value, block *ssa.BasicBlock) bool {
	blocks, ok := u.lives[v]
	if !ok {
		blocks = liveBlocks(v)
		u.lives[v] = blocks
	}
	return blocks == nil || blocks[block]
}

// liveBlocks are the blocks at whose beginning a value is needed, by itself or
// by what is computed from it; nil for all.
func liveBlocks(v ssa.Value) map[*ssa.BasicBlock]bool {
	if isCaptured(v) {
		return nil
	}
	var made *ssa.BasicBlock // nil for a parameter, which is there from the start
	if instr, ok := v.(ssa.Instruction); ok {
		made = instr.Block()
	} else if _, ok := v.(*ssa.Parameter); !ok {
		return nil
	}
	blocks := make(map[*ssa.BasicBlock]bool)
	var mark func(block *ssa.BasicBlock)
	mark = func(block *ssa.BasicBlock) {
		// At the beginning of the block that makes it, it is needed only in the next
		// round of a loop, when it is made anew.
		if block == made || blocks[block] {
			return
		}
		blocks[block] = true
		for _, pred := range block.Preds {
			mark(pred)
		}
	}
	seen := make(map[ssa.Value]bool)
	var use func(v ssa.Value)
	use = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			if phi, ok := ref.(*ssa.Phi); ok && phi.Block() == made {
				blocks[phi.Block()] = true
				for _, pred := range phi.Block().Preds {
					mark(pred)
				}
				continue
			}
			mark(ref.Block())
			if derived, ok := ref.(ssa.Value); ok && isDerived(derived) {
				use(derived)
			}
		}
	}
	use(v)
	return blocks
}

// isDerived reports whether a value is computed from its operands when it is
// looked up.
func isDerived(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Slice, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.TypeAssert, *ssa.Convert, *ssa.Lookup, *ssa.Range, *ssa.Next, *ssa.SliceToArrayPointer:
		return true
	case *ssa.Extract:
		_, call := v.Tuple.(*ssa.Call)
		return !call
	}
	return false
}

// isCaptured reports whether function literals have a variable.
func isCaptured(v ssa.Value) bool {
	if alloc, ok := v.(*ssa.Alloc); ok {
		for range blocks.UsesOf[*ssa.MakeClosure](alloc) {
			return true
		}
	}
	return false
}

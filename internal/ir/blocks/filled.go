package blocks

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsFilled reports whether a block asks for the next round of a loop over
// something that is not empty for sure, or that counts up to a number which is greater than the
// one that it begins with: a first round there is.
func IsFilled(head *ssa.BasicBlock) bool {
	branch, ok := Last(head).(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ {
		return false
	}
	n, ok := Length(cond.Y)
	switch head.Comment {
	case "rangeindex.loop":
		return ok && n > 0
	case "for.loop":
		counter, isPhi := cond.X.(*ssa.Phi)
		return ok && isPhi && counter.Block() == head && beginsBelow(counter, n)
	}
	return false
}

// beginsBelow reports whether a counter of a loop begins with a number below n.
func beginsBelow(counter *ssa.Phi, n int64) bool {
	for i, pred := range counter.Block().Preds {
		if counter.Block().Dominates(pred) {
			continue
		}
		if from, ok := Number(counter.Edges[i]); !ok || from >= n {
			return false
		}
	}
	return true
}

// Taken returns the blocks that may follow a block: a loop over a number that is greater than
// zero has a first round.
func Taken(block *ssa.BasicBlock) []*ssa.BasicBlock {
	if branch, ok := Last(block).(*ssa.If); ok && block.Succs[0].Comment == "rangeint.body" {
		if cond, ok := branch.Cond.(*ssa.BinOp); ok && cond.Op == token.LSS {
			from, known := Number(cond.X)
			to, named := Number(cond.Y)
			if known && named && from < to {
				return block.Succs[:1]
			}
		}
	}
	return block.Succs
}

// Length returns a number that the code names, or that of the elements of a list that
// stands there.
func Length(v ssa.Value) (int64, bool) {
	call, ok := v.(*ssa.Call)
	if !ok {
		return Number(v)
	}
	if builtin, ok := call.Call.Value.(*ssa.Builtin); !ok || builtin.Name() != "len" {
		return 0, false
	}
	slice, ok := call.Call.Args[0].(*ssa.Slice)
	if !ok || slice.Low != nil || slice.High != nil {
		return 0, false
	}
	ptr, ok := slice.X.Type().Underlying().(*types.Pointer)
	if !ok {
		return 0, false
	}
	array, ok := ptr.Elem().Underlying().(*types.Array)
	if !ok {
		return 0, false
	}
	return array.Len(), true
}

// Number returns an integer that the code names.
func Number(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

package blocks

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsFilled reports whether a block asks for the next round of a loop over
// something that is not empty for sure: a first round there is.
func IsFilled(head *ssa.BasicBlock) bool {
	branch, ok := Last(head).(*ssa.If)
	if !ok || head.Comment != "rangeindex.loop" {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS {
		return false
	}
	n, ok := Length(cond.Y)
	return ok && n > 0
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

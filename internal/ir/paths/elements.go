package paths

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
)

// ListOf returns the elements of the list in which a place lies, as [calls.Listed] does,
// and the path from the element to it.
func ListOf(o Object) (elements []ssa.Value, path string) {
	array, ok := o.Root.(*ssa.Alloc)
	if !ok || len(o.Path) < len("."+element) || o.Path[:len("."+element)] != "."+element {
		return nil, ""
	}
	for _, ref := range *array.Referrers() {
		if slice, ok := ref.(*ssa.Slice); ok {
			return calls.Listed(slice), o.Path[len("."+element):]
		}
	}
	return nil, ""
}

// IsListed reports whether an address is that of an element of a literal, as
// [calls.Listed] has them.
func IsListed(addr ssa.Value) bool {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	elements, _ := ListOf(Object{Root: index.X, Path: "." + element})
	return elements != nil
}

// isFilled reports whether a block asks for the next round of a loop over
// something that is not empty for sure: a first round there is.
func isFilled(header *ssa.BasicBlock) bool {
	branch, ok := header.Instrs[len(header.Instrs)-1].(*ssa.If)
	if !ok || header.Comment != "rangeindex.loop" {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS {
		return false
	}
	switch n := cond.Y.(type) {
	case *ssa.Const:
		count, ok := calls.ConstIndex(n)
		return ok && count > 0
	case *ssa.Call:
		builtin, ok := n.Call.Value.(*ssa.Builtin)
		if !ok || builtin.Name() != "len" {
			return false
		}
		slice, ok := n.Call.Args[0].(*ssa.Slice)
		if !ok || slice.Low != nil || slice.High != nil {
			return false
		}
		ptr, ok := slice.X.Type().Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		array, ok := ptr.Elem().Underlying().(*types.Array)
		return ok && array.Len() > 0
	}
	return false
}

package values

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// maxEqual bounds the operations that are compared.
const maxEqual = 6

// Equal reports whether two values are computed in the same way from the same: what one
// reads from memory is what the other one reads, if nothing is stored there meanwhile.
// stays, if not nil, tells of an address whether that is so.
func Equal(a, b ssa.Value, stays func(addr ssa.Value) bool) bool {
	return equal(a, b, stays, 0)
}

func equal(a, b ssa.Value, stays func(ssa.Value) bool, depth int) bool {
	if a == nil || b == nil || a == b || depth > maxEqual {
		return a != nil && a == b
	}
	if !types.Identical(a.Type(), b.Type()) {
		return false
	}
	same := func(a, b ssa.Value) bool { return equal(a, b, stays, depth+1) }
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value)
	case *ssa.UnOp:
		b, ok := b.(*ssa.UnOp)
		return ok && a.Op == b.Op && a.Op != token.ARROW && same(a.X, b.X) && (a.Op != token.MUL || stays == nil || stays(a.X))
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op && same(a.X, b.X) && same(a.Y, b.Y)
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && a.Field == b.Field && same(a.X, b.X)
	case *ssa.Field:
		b, ok := b.(*ssa.Field)
		return ok && a.Field == b.Field && same(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && same(a.X, b.X) && same(a.Index, b.Index)
	case *ssa.Convert:
		b, ok := b.(*ssa.Convert)
		return ok && same(a.X, b.X)
	case *ssa.ChangeType:
		b, ok := b.(*ssa.ChangeType)
		return ok && same(a.X, b.X)
	case *ssa.MakeInterface:
		b, ok := b.(*ssa.MakeInterface)
		return ok && same(a.X, b.X)
	}
	return false
}

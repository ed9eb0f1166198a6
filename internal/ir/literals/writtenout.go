package literals

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxParts bounds the parts of literals.
const maxParts = 8

// IsWrittenOut reports whether a value is put together of constants alone.
func IsWrittenOut(v ssa.Value) bool { return isWrittenOut(v, 0) }

func isWrittenOut(v ssa.Value, depth int) bool {
	if depth > maxParts {
		return false
	}
	var refs *[]ssa.Instruction
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.UnOp:
		// What is read out of something is constant if all of that is, and made here.
		made, ok := base(v.X).(*ssa.Alloc)
		return ok && isWrittenOut(made, depth+1)
	case *ssa.Slice:
		return isWrittenOut(v.X, depth+1)
	case *ssa.Convert:
		return isWrittenOut(v.X, depth+1)
	case *ssa.ChangeType:
		return isWrittenOut(v.X, depth+1)
	case *ssa.MakeMap:
		refs = v.Referrers()
	case *ssa.Alloc:
		refs = v.Referrers()
	case *ssa.FieldAddr:
		refs = v.Referrers()
	case *ssa.IndexAddr:
		refs = v.Referrers()
	default:
		return false
	}
	return !slices.ContainsFunc(*refs, func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.Store:
			return ref.Addr == v && !isWrittenOut(ref.Val, depth+1)
		case *ssa.MapUpdate:
			return ref.Map == v && !(isWrittenOut(ref.Key, depth+1) && isWrittenOut(ref.Value, depth+1))
		case *ssa.FieldAddr:
			return ref.X == v && !isWrittenOut(ref, depth+1)
		case *ssa.IndexAddr:
			return ref.X == v && !isWrittenOut(ref, depth+1)
		case ssa.CallInstruction:
			return true
		}
		return false
	})
}

// base is what the address of a part begins in.
func base(addr ssa.Value) ssa.Value {
	for {
		switch part := addr.(type) {
		case *ssa.FieldAddr:
			addr = part.X
		case *ssa.IndexAddr:
			addr = part.X
		default:
			return addr
		}
	}
}

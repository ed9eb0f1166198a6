package literals

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
)

// IsLiteral reports whether v is a struct literal that is put together in its function.
func IsLiteral(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	literal, ok := load.X.(*ssa.Alloc)
	return ok && literal.Comment == "complit"
}

// LeavesOut reports whether v is a struct literal, put together in its function,
// that does not have a field.
func LeavesOut(v ssa.Value, name string) bool {
	if !IsLiteral(v) {
		_, isLoad := v.(*ssa.UnOp)
		return !isLoad && IsZero(v)
	}
	literal := v.(*ssa.UnOp).X
	return !slices.ContainsFunc(*literal.Referrers(), func(ref ssa.Instruction) bool {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		field := calls.FieldOf(addr.X.Type(), addr.Field)
		return field != nil && field.Name() == name
	})
}

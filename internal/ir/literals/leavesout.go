package literals

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
)

// LeavesOut reports whether v is a struct literal, put together in its function,
// that does not have a field.
func LeavesOut(v ssa.Value, name string) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return IsZero(v)
	}
	literal, ok := load.X.(*ssa.Alloc)
	if !ok || literal.Comment != "complit" {
		return false
	}
	return !slices.ContainsFunc(*literal.Referrers(), func(ref ssa.Instruction) bool {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		field := calls.FieldOf(addr.X.Type(), addr.Field)
		return field != nil && field.Name() == name
	})
}

package calls

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// HolderOf returns the field or package-level variable at an address, or nil.
func HolderOf(addr ssa.Value) types.Object {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if field := FieldOf(addr.X.Type(), addr.Field); field != nil {
			return field
		}
	case *ssa.Global:
		if obj := addr.Object(); obj != nil {
			return obj
		}
	}
	return nil
}

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

// LoadedField returns the field that a value was loaded from, or nil.
func LoadedField(v ssa.Value) *types.Var {
	switch v := v.(type) {
	case *ssa.UnOp:
		if addr, ok := v.X.(*ssa.FieldAddr); ok {
			return FieldOf(addr.X.Type(), addr.Field)
		}
	case *ssa.Field:
		return FieldOf(v.X.Type(), v.Field)
	}
	return nil
}

// IsReceiver reports whether a parameter is its method's receiver.
func IsReceiver(p *ssa.Parameter) bool {
	fn := p.Parent()
	return fn.Signature.Recv() != nil && len(fn.Params) > 0 && fn.Params[0] == p
}

package kubeapi

import "golang.org/x/tools/go/ssa"

// Converted returns the value that v is, seen as another type: what was put
// into an interface, is asserted to be in one, or changes its type and nothing
// else. It is nil if v is anything else.
func Converted(v ssa.Value) ssa.Value {
	// A switch of its own: this layer is below ir/values, which has the same step.
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return v.X
	case *ssa.ChangeInterface:
		return v.X
	case *ssa.ChangeType:
		return v.X
	case *ssa.TypeAssert:
		return v.X
	case *ssa.Extract:
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			return assert.X
		}
	}
	return nil
}

// Unconverted returns what v is, seen through all that [Converted] sees through.
func Unconverted(v ssa.Value) ssa.Value {
	for x := v; x != nil; x = Converted(v) {
		v = x
	}
	return v
}

// Unboxed returns what v has in it if it is an interface that was made here,
// and v otherwise.
func Unboxed(v ssa.Value) ssa.Value {
	if box, ok := v.(*ssa.MakeInterface); ok {
		return box.X
	}
	return v
}

package kubeapi

import "go/types"

// HasPart reports whether a type is wanted, or one of which its values have parts. Those
// that are left out are not looked into.
func HasPart(t types.Type, wanted, leftOut func(types.Type) bool) bool {
	return hasPart(t, wanted, leftOut, make(map[types.Type]bool))
}

func hasPart(t types.Type, wanted, leftOut func(types.Type) bool, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] || leftOut(t) {
		return false
	}
	seen[t] = true
	if wanted(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			if hasPart(field.Type(), wanted, leftOut, seen) {
				return true
			}
		}
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return hasPart(u.(interface{ Elem() types.Type }).Elem(), wanted, leftOut, seen)
	}
	return false
}

// Deref is the type that a pointer points to, and any other type itself.
func Deref(t types.Type) types.Type {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

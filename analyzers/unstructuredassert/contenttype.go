package unstructuredassert

import "go/types"

// isContentType reports whether t is a map or slice as it lies in content.
func isContentType(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return isString(t.Key()) && isAny(t.Elem())
	case *types.Slice:
		return isAny(t.Elem())
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.String
}

func isAny(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	return ok && iface.Empty()
}

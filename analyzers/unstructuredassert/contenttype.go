package unstructuredassert

import (
	"go/types"

	"github.com/opvet/opvet/internal/kubeapi"
)

// isContentType reports whether t is a map or slice as it lies in content.
func isContentType(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return kubeapi.IsString(t.Key()) && isAny(t.Elem())
	case *types.Slice:
		return isAny(t.Elem())
	}
	return false
}

func isAny(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	return ok && iface.Empty()
}

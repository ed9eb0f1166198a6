package kubeapi

import (
	"go/types"
	"strings"
)

// IsErrorList reports whether t is a list of errors about the fields of an
// object.
func IsErrorList(t types.Type) bool {
	return IsNamed(t, "k8s.io/apimachinery/pkg/util/validation/field", "ErrorList")
}

// AsksDeletion reports whether fn, by its name, answers whether an object is
// being deleted: such helpers are often another package's.
func AsksDeletion(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	results := fn.Signature().Results()
	if results.Len() != 1 || !types.Identical(results.At(0).Type(), types.Typ[types.Bool]) {
		return false
	}
	name := strings.ToLower(fn.Name())
	return strings.Contains(name, "delet") || strings.Contains(name, "terminat")
}

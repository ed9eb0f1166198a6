package finalizers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// AsksFor reports whether a call tells, by a bool, if an object has a finalizer, or changes its finalizers
// and tells if it had to.
func (i *Finalizers) AsksFor(call *ssa.Call) bool {
	common := call.Common()
	if !kubeapi.IsBool(call.Type()) {
		return false
	}
	callee := kubeapi.Callee(common)
	if kubeapi.IsFunc(callee, "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil", "ContainsFinalizer") || len(i.Changes(call)) > 0 {
		return true
	}
	return slices.ContainsFunc(kubeapi.Operands(common), func(v ssa.Value) bool {
		if getter, ok := v.(*ssa.Call); ok {
			return kubeapi.IsFinalizerGetter(kubeapi.Callee(getter.Common()))
		}
		load, ok := v.(*ssa.UnOp)
		if !ok {
			return false
		}
		addr, ok := load.X.(*ssa.FieldAddr)
		return ok && isFinalizersField(addr)
	})
}

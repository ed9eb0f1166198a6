// Package own sets references for others.
package own

import (
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Set answers whether it could.
func Set(owner, object client.Object, scheme *runtime.Scheme) error {
	return ctrl.SetControllerReference(owner, object, scheme)
}

// Try does not answer.
func Try(owner, object client.Object, scheme *runtime.Scheme) {
	_ = controllerutil.SetControllerReference(owner, object, scheme)
}

// Adopt asks first.
func Adopt(owner, object client.Object, scheme *runtime.Scheme) {
	if !controllerutil.HasControllerReference(object) {
		_ = controllerutil.SetControllerReference(owner, object, scheme)
	}
}

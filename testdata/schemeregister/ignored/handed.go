package ignored

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A literal hands the error up.
func literal(scheme *runtime.Scheme) {
	register := func() error { return corev1.AddToScheme(scheme) }
	_ = register() // want `schemeregister/error-ignored`
}

// So does a generic function.
func run[T any](f func() T) T { return f() }

func generic(scheme *runtime.Scheme) {
	run(func() error { return corev1.AddToScheme(scheme) }) // want `schemeregister/error-ignored`
}

// Here it is read.
func literalRead(scheme *runtime.Scheme) error {
	register := func() error { return corev1.AddToScheme(scheme) }
	if err := register(); err != nil {
		return err
	}
	return run(func() error { return corev1.AddToScheme(scheme) })
}

// Package fix has what the fixes edit.
package fix

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var scheme = runtime.NewScheme()

func init() {
	_ = corev1.AddToScheme(scheme) // want `hygiene: .*schemeregister/error-ignored`
	appsv1.AddToScheme(scheme)
}

func install(s *runtime.Scheme) {
	_ = corev1.AddToScheme(s) // want `hygiene: .*schemeregister/error-ignored`
}

func build(s *runtime.Scheme) error {
	_ = corev1.AddToScheme(s) // want `hygiene: .*schemeregister/error-ignored`
	return appsv1.AddToScheme(s)
}

// To panic here may not be wanted.
func schemeOf() *runtime.Scheme {
	s := runtime.NewScheme()
	_ = corev1.AddToScheme(s) // want `hygiene: .*schemeregister/error-ignored`
	return s
}

package fix

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/runtime"
)

func init() {
	defer runtime.HandleCrash()
	_ = corev1.AddToScheme(scheme) // want `hygiene: .*schemeregister/error-ignored`
}

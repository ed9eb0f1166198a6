// Package lib stores entries for others.
package lib

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Mark takes the annotations to be there.
func Mark(o metav1.Object) { o.GetAnnotations()["seen"] = "true" }

// Put takes the map to be there.
func Put(m map[string]string) { m["seen"] = "true" }

// MarkSafely makes them.
func MarkSafely(o metav1.Object) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["seen"] = "true"
	o.SetAnnotations(annotations)
}

// PutSafely looks whether there is one.
func PutSafely(m map[string]string) {
	if m != nil {
		m["seen"] = "true"
	}
}

// EnsureAll makes labels and annotations.
func EnsureAll(o metav1.Object) {
	ensureLabels(o)
	if o.GetAnnotations() == nil {
		o.SetAnnotations(map[string]string{})
	}
}

func ensureLabels(o metav1.Object) {
	if o.GetLabels() == nil {
		o.SetLabels(map[string]string{})
	}
}

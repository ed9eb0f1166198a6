// Package lists keeps the finalizers of objects of any kind.
package lists

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Drop takes a finalizer off, in place, and tells whether it was there.
func Drop(obj metav1.Object, finalizer string) bool {
	finalizers := obj.GetFinalizers()
	n, found := 0, false
	for _, f := range finalizers {
		if f == finalizer {
			found = true
		} else {
			finalizers[n] = f
			n++
		}
	}
	obj.SetFinalizers(finalizers[:n])
	return found
}

// Has tells whether a finalizer is there.
func Has(obj metav1.Object, finalizer string) bool {
	for _, f := range obj.GetFinalizers() {
		if f == finalizer {
			return true
		}
	}
	return false
}

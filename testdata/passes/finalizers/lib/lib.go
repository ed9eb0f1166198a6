// Package lib has helpers for finalizers in a package of their own.
package lib

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Remove takes a string off a list.
func Remove(list []string, s string) []string {
	var kept []string
	for _, item := range list {
		if item == s {
			continue
		}
		kept = append(kept, item)
	}
	return kept
}

// RemoveInPlace is Remove with package slices.
func RemoveInPlace(list []string, s string) []string {
	return slices.DeleteFunc(list, func(item string) bool { return item == s })
}

// Ensure adds a finalizer.
func Ensure(obj client.Object, name string) bool { return controllerutil.AddFinalizer(obj, name) }

// EnsureLive adds a finalizer unless the object is being deleted.
func EnsureLive(obj client.Object, name string) {
	if obj.GetDeletionTimestamp() != nil {
		return
	}
	controllerutil.AddFinalizer(obj, name)
}

// IsDeleted reports whether an object is being deleted.
func IsDeleted(meta metav1.Object) bool { return !meta.GetDeletionTimestamp().IsZero() }

// CutAll cuts all elements that equal s, and goes on with what is left.
func CutAll(list []string, s string) []string {
	for i, v := range list {
		if v == s {
			list = append(list[:i], list[i+1:]...)
		}
	}
	return list
}

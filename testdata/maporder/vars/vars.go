// Package vars changes lists of variables.
package vars

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// WithProxy adds one.
func WithProxy(list []corev1.EnvVar) []corev1.EnvVar {
	return append(list, corev1.EnvVar{Name: "HTTP_PROXY"})
}

// Sorted puts them into an order.
func Sorted(list []corev1.EnvVar) []corev1.EnvVar {
	slices.SortFunc(list, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Count tells how many there are.
func Count(list []corev1.EnvVar) int32 { return int32(len(list)) }

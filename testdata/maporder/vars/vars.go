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

// Of makes variables of settings.
func Of(settings map[string]string) []corev1.EnvVar {
	vars := make([]corev1.EnvVar, len(settings))
	i := 0
	for name, value := range settings {
		vars[i] = corev1.EnvVar{Name: name, Value: value}
		i++
	}
	return vars
}

// Settings makes them for a Node.
type Settings map[string]string

// Args are the arguments that they are.
func (s Settings) Args() ([]string, error) {
	var args []string
	for name := range s {
		args = append(args, "--"+name)
	}
	return args, nil
}

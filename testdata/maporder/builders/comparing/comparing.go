// Package comparing says when two objects are the same, whatever the order of their lists.
package comparing

import corev1 "k8s.io/api/core/v1"

// SameContainer compares the images and the variables of two containers.
func SameContainer(a, b corev1.Container) bool { return a.Image == b.Image && sameEnv(a.Env, b.Env) }

func sameEnv(a, b []corev1.EnvVar) bool {
	if len(a) != len(b) {
		return false
	}
	for _, one := range a {
		found := false
		for _, other := range b {
			found = found || one.Name == other.Name && one.Value == other.Value
		}
		if !found {
			return false
		}
	}
	return true
}

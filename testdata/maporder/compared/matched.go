package compared

import (
	corev1 "k8s.io/api/core/v1"
)

// A list in a map's order is stored only where there is none; after that each of its elements
// is looked for by its name.
func matched(pod *corev1.Pod, settings map[string]string) bool {
	wanted := []corev1.ResourceClaim{}
	for name, value := range settings {
		wanted = append(wanted, corev1.ResourceClaim{Name: name, Request: value})
	}
	container := &pod.Spec.Containers[0]
	if container.Resources.Claims == nil {
		container.Resources.Claims = wanted
		return true
	}
	for _, w := range wanted {
		for i := range container.Resources.Claims {
			if container.Resources.Claims[i].Name == w.Name {
				container.Resources.Claims[i].Request = w.Request
			}
		}
	}
	return false
}

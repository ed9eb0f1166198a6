// Package testutil serves tests.
package testutil

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
)

// Seed puts pods into the cache for a test.
func Seed(factory informers.SharedInformerFactory, pods ...*corev1.Pod) {
	for _, pod := range pods {
		_ = factory.Core().V1().Pods().Informer().GetIndexer().Add(pod)
	}
}

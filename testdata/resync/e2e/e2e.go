// Package e2e serves tests: it watches for a few minutes.
package e2e

import (
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

func watch(client kubernetes.Interface, stop <-chan struct{}) {
	informers.NewSharedInformerFactory(client, 10*time.Second).Start(stop)
}

// Package e2e serves tests: what it misses costs no operator anything.
package e2e

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func watchJobs(informer cache.SharedIndexInformer, finished chan<- string) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if pod, ok := obj.(*corev1.Pod); ok {
				finished <- pod.Name
			}
		},
	})
}

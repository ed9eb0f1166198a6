// Package lib polls. Nothing is reported here: nothing here is an entry point.
package lib

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Follow waits for a pod to be done.
func Follow(kube kubernetes.Interface, namespace, name string, done func()) {
	go func() {
		for {
			pod, err := kube.CoreV1().Pods(namespace).Get(context.Background(), name, metav1.GetOptions{})
			if err == nil && pod.Status.Phase == "Succeeded" {
				done()
				return
			}
			time.Sleep(time.Second)
		}
	}()
}

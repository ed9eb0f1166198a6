// Package strict has what is reported only with the strict flag.
package strict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// WaitOnce leaves a watch open until its caller's context ends.
func WaitOnce(ctx context.Context, c client.WithWatch) error {
	w, err := c.Watch(ctx, &corev1.PodList{}) // want `the watch stays open when WaitOnce returns \(line \d+\), with its connection and goroutine, until the context ends; stop it in a defer`
	if err != nil {
		return err
	}
	for event := range w.ResultChan() {
		if _, ok := event.Object.(*corev1.Pod); ok {
			return nil
		}
	}
	return nil
}

// Package fix has reads that are safe without the .Time.
package fix

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func isZero(ctx context.Context, c client.Client, key client.ObjectKey) bool {
	var pod corev1.Pod
	if err := c.Get(ctx, key, &pod); err != nil {
		return false
	}
	return !pod.DeletionTimestamp.Time.IsZero() // want `nil-dereference`
}

func getter(ctx context.Context, c client.Client, key client.ObjectKey) bool {
	var pod corev1.Pod
	if err := c.Get(ctx, key, &pod); err != nil {
		return false
	}
	return pod.GetDeletionTimestamp().Time.IsZero() // want `nil-dereference`
}

func before(ctx context.Context, c client.Client, key, other client.ObjectKey) bool {
	var a, b corev1.Pod
	if c.Get(ctx, key, &a) != nil || c.Get(ctx, other, &b) != nil || b.DeletionTimestamp == nil {
		return false
	}
	return a.DeletionTimestamp.Time.Before(b.DeletionTimestamp.Time) // want `nil-dereference`
}

func noFix(ctx context.Context, c client.Client, key client.ObjectKey) bool {
	var pod corev1.Pod
	if err := c.Get(ctx, key, &pod); err != nil {
		return false
	}
	return pod.DeletionTimestamp.Time.Before(time.Now()) // want `nil-dereference`
}

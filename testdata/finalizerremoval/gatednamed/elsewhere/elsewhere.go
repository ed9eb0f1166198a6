// Package elsewhere takes the finalizer off where the helper does not.
package elsewhere

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const finalizer = "example.opvet.dev/elsewhere"

func reconcile(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	if b.Spec.Replicas == nil {
		controllerutil.RemoveFinalizer(b, finalizer)
		return c.Update(ctx, b)
	}
	return release(ctx, c, b, finalizer)
}

func release(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() != nil && b.Spec.Replicas != nil {
		controllerutil.RemoveFinalizer(b, name)
		return c.Update(ctx, b)
	}
	return nil
}

// Package fix has patches that the fix locks.
package fix

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func inline(ctx context.Context, c client.Client, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.MergeFrom(before)) // want `unlocked`
}

func variable(ctx context.Context, c client.Client, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, patch) // want `unlocked`
}

func removal(ctx context.Context, c client.Client, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: .*unlocked`
}

// afterStatus has written the object before, so that the version of its base is
// an old one: a lock would fail each time.
func afterStatus(ctx context.Context, c client.Client, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	b.Status.Phase = v1.BackupRunning
	if err := c.Status().Patch(ctx, b, patch); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, patch) // want `hygiene: .*unlocked`
}

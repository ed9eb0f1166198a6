// Package finalizerpatch has the cases against controller-runtime v0.14.
package finalizerpatch

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

func addition(ctx context.Context, c client.Client, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.MergeFrom(before)) // want `finalizerpatch/unlocked`
}

func byHand(ctx context.Context, c client.Client, b *v1.Backup) error {
	patch := client.MergeFrom(b.DeepCopy())
	b.Finalizers = append(b.Finalizers, v1.Finalizer)
	return c.Patch(ctx, b, patch) // want `finalizerpatch/unlocked`
}

func raw(ctx context.Context, c client.Client, b *v1.Backup) error {
	data := []byte(`{"metadata":{"finalizers":["example.opvet.dev/cleanup"]}}`)
	return c.Patch(ctx, b, client.RawPatch(types.MergePatchType, data)) // want `finalizerpatch/raw-list`
}

func locked(ctx context.Context, c client.Client, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func atTheEnd(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.MergeFrom(before)) // want `hygiene: .*finalizerpatch/unlocked`
}

func strategic(ctx context.Context, c client.Client, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Patch(ctx, b, client.StrategicMergeFrom(before))
}

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

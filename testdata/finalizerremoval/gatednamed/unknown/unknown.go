// Package unknown has a helper that is given names which are not known.
package unknown

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func reconcile(ctx context.Context, c client.Client, b *v1.Backup, names func() string) error {
	return release(ctx, c, b, names())
}

func release(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() != nil && b.Spec.Replicas != nil {
		controllerutil.RemoveFinalizer(b, name)
		return c.Update(ctx, b)
	}
	return nil
}

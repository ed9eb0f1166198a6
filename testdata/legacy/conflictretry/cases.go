// Package conflictretry has the cases against the older libraries.
package conflictretry

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

func stale(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Phase = "Done"
		return c.Status().Update(ctx, b) // want `\(conflictretry/stale-object\)`
	})
}

func swallowed(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status.Phase = "Done"
		err := c.Status().Update(ctx, b) // want `\(conflictretry/swallowed\)`
		if apierrors.IsConflict(err) {
			err = c.Get(ctx, client.ObjectKeyFromObject(b), b)
		}
		return err
	})
}

func right(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return err
		}
		b.Spec.Paused = true
		return c.Update(ctx, b)
	})
}

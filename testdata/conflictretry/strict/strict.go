// Package strict has the cases of the strict flag.
package strict

import (
	"context"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func unlocked(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		before := b.DeepCopy()
		b.Spec.Paused = true
		return c.Patch(ctx, b, client.MergeFrom(before)) // want `a merge patch without a lock.*\(conflictretry/cannot-fire\)`
	})
}

func locked(ctx context.Context, c client.Client, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := c.Get(ctx, key, b); err != nil {
			return err
		}
		before := b.DeepCopy()
		b.Spec.Paused = true
		return c.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
}

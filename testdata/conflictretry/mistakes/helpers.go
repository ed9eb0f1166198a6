package mistakes

import (
	"context"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Whoever hands an object on that it has read is told, too, of what its helpers do with it: once.
func (r *reconciler) twice(ctx context.Context, key client.ObjectKey) error {
	c := &v1.Cluster{}
	if err := r.Get(ctx, key, c); err != nil {
		return err
	}
	c.Status.Version = "1"
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		return r.Status().Update(ctx, c) // want `\(conflictretry/stale-object\)`
	}); err != nil {
		return err
	}
	return r.ready(ctx, c)
}

func (r *reconciler) ready(ctx context.Context, c *v1.Cluster) error {
	c.Status.Ready = true
	return retry.RetryOnConflict(retry.DefaultRetry, func() error { return r.Status().Update(ctx, c) })
}

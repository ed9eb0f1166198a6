package ignored

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) afterHelpers(ctx context.Context, b *v1.Backup, c *v1.Cluster) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.finalizeData(ctx, b); err != nil {
		return err
	}
	r.finalizeCluster(ctx, c)
	if err := r.finalizeParts(ctx, b); err != nil {
		return err
	}
	if more, err := r.finalizeNext(ctx, b); err != nil || more {
		return err
	}
	if err := r.finalizeWhatIsThere(ctx, c); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) finalizeData(ctx context.Context, b *v1.Backup) error {
	if err := r.bucket.Delete(ctx, b.Name); err != nil { // want `Delete's error is swallowed and line \d+ removes the finalizer: if it fails, what it cleans up leaks.*\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "cannot delete the data")
	}
	return nil
}

func (r *reconciler) finalizeCluster(ctx context.Context, c *v1.Cluster) {
	if err := r.Client.Delete(ctx, c); err != nil { // want `\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "cannot delete the cluster")
	}
}

// All errors are returned.
func (r *reconciler) finalizeParts(ctx context.Context, b *v1.Backup) error {
	var errs []error
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("delete %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// The caller is told to come back.
func (r *reconciler) finalizeNext(ctx context.Context, b *v1.Backup) (bool, error) {
	if err := r.bucket.Delete(ctx, b.Name); err != nil {
		r.log.Error(err, "cannot delete the data yet")
		return true, nil
	}
	return false, nil
}

func (r *reconciler) finalizeWhatIsThere(ctx context.Context, c *v1.Cluster) error {
	if err := r.Client.Delete(ctx, c); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil
		}
		return err
	}
	return nil
}

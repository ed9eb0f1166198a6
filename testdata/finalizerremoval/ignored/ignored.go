// Package ignored has the cases of finalizerremoval/cleanup-ignored and
// wrong-branch: finalizers that come off although something failed.
package ignored

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	log       logr.Logger
	bucket    store
	informers cache.Informers
}

// store is where backups lie.
type store interface {
	Delete(ctx context.Context, name string) error
	Lookup(ctx context.Context, name string) (*v1.Cluster, error)
	Notify(ctx context.Context, name string) error
}

type unavailable struct{ error }

func (r *reconciler) deleteData(ctx context.Context, b *v1.Backup) error {
	return r.bucket.Delete(ctx, b.Name)
}

func (r *reconciler) deletePart(ctx context.Context, name string) error {
	return r.bucket.Delete(ctx, name)
}

func (r *reconciler) release(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	controllerutilRemove(b)
	return ctrl.Result{}, r.Update(ctx, b)
}

func (r *reconciler) overdue(b *v1.Backup) bool {
	return time.Since(b.DeletionTimestamp.Time) > time.Hour
}

package metadata

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// releasedWhenDone comes here again with each event: nothing has changed.
func (r *reconciler) releasedWhenDone(ctx context.Context, b *v1.Backup) error {
	if b.Status.Phase == v1.BackupRunning {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Status().Update(ctx, b) // want `^stuck: deletion of the Backup hangs: finalizers removed on line \d+ are not stored by this status write; write them with Update as well \(statusupdate/metadata-dropped\)`
	}
	b.Labels = map[string]string{"seen": "true"}
	return r.Update(ctx, b)
}

// releasedLater changes the status, and the event that this brings leads to the removal that is stored.
func (r *reconciler) releasedLater(ctx context.Context, b *v1.Backup) error {
	if b.Status.Phase == v1.BackupRunning {
		b.Status.Phase = ""
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Status().Update(ctx, b) // want `^hygiene: finalizers.*\(statusupdate/metadata-dropped\)`
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// released stores both.
func (r *reconciler) released(ctx context.Context, b *v1.Backup) error {
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if err := r.Status().Patch(ctx, b.DeepCopy(), client.MergeFrom(before)); err != nil {
		return err
	}
	return r.Patch(ctx, b, client.MergeFrom(before))
}

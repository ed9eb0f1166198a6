package ignored

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The clean-up that failed is that of another backup.
func (r *reconciler) nextRound(ctx context.Context, list *v1.BackupList) error {
	for i := range list.Items {
		b := &list.Items[i]
		if b.Spec.Paused {
			if err := r.deleteData(ctx, b); err != nil {
				r.log.Error(err, "cannot delete the data")
				continue
			}
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *reconciler) sameRound(ctx context.Context, list *v1.BackupList) error {
	for i := range list.Items {
		b := &list.Items[i]
		if err := r.deleteData(ctx, b); err != nil { // want `hygiene: deleteData's error is ignored and line \d+ removes the finalizer`
			r.log.Error(err, "cannot delete the data")
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// The object is read again, and is the same.
func (r *reconciler) readAgain(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil { // want `cleanup-ignored`
		r.log.Error(err, "cannot delete the data")
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		latest := &v1.Backup{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), latest); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(latest, v1.Finalizer)
		return r.Update(ctx, latest)
	})
}

// A deferred literal that looks at a named result says nothing about what
// comes before.
func (r *reconciler) deferredLook(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			r.log.Info("done")
		}
	}()
	if err = r.deleteData(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deferredWrap(ctx context.Context, b *v1.Backup) (res ctrl.Result, err error) {
	defer func() {
		if err != nil {
			r.log.Error(err, "cannot release")
			err = fmt.Errorf("release: %w", err)
		}
	}()
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if _, err = r.bucket.Lookup(ctx, b.Name); err != nil {
		return ctrl.Result{}, err
	}
	if err = r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	err = r.Update(ctx, b)
	return ctrl.Result{}, err
}

// The error that leads to the removal is another one.
func (r *reconciler) anotherError(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			r.log.Info("done")
		}
	}()
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if _, err = r.bucket.Lookup(ctx, b.Spec.Source); err != nil {
		return err
	}
	if err = r.validate(b); err != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return nil
}

// The same with the error that does lead to it.
func (r *reconciler) thatError(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			r.log.Info("done")
		}
	}()
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err = r.validate(b); err != nil {
		return err
	}
	if _, err = r.bucket.Lookup(ctx, b.Spec.Source); err != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `wrong-branch`
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) deferredLog(ctx context.Context, b *v1.Backup) (err error) {
	defer func() {
		if err == nil {
			r.log.Info("done")
		}
	}()
	if err = r.deleteData(ctx, b); err != nil { // want `cleanup-ignored`
		r.log.Error(err, "cannot delete the data")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// Both errors lead to the same place: the first may be nil there.
func (r *reconciler) eitherError(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	_, err := r.bucket.Lookup(ctx, b.Spec.Source)
	if err == nil {
		err = r.validate(b)
	} else {
		return err
	}
	if err != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return nil
}

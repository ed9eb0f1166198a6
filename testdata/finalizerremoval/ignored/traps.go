package ignored

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) returned(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil {
		r.log.Error(err, "cannot delete the data")
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) notFoundIsDone(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil {
		if !apierrors.IsNotFound(err) {
			return err
		}
		r.log.Info("gone already")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) keptByAFlag(ctx context.Context, b *v1.Backup) error {
	failed := false
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil {
			r.log.Error(err, "cannot delete a part")
			failed = true
		}
	}
	if failed {
		return errors.New("not all parts are deleted")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) keptByAListOfErrors(ctx context.Context, b *v1.Backup) error {
	var errs []error
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) keptByACount(ctx context.Context, b *v1.Backup) error {
	failures := 0
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil {
			r.log.Error(err, "cannot delete a part")
			failures++
		}
	}
	if failures > 0 {
		return fmt.Errorf("%d parts are left", failures)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) keptInTheList(ctx context.Context, b *v1.Backup) error {
	var kept []string
	for _, f := range b.GetFinalizers() {
		switch f {
		case v1.Finalizer:
			if err := r.deleteData(ctx, b); err != nil {
				r.log.Error(err, "cannot delete the data")
				kept = append(kept, f)
			}
		default:
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
	return r.Update(ctx, b)
}

func (r *reconciler) givenUpAfterAnHour(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil {
		if !r.overdue(b) {
			return err
		}
		r.log.Error(err, "giving up")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) givenUpBecauseTheUserSaysSo(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil {
		if b.Annotations["example.opvet.dev/force"] != "true" {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) notACleanup(ctx context.Context, b *v1.Backup) error {
	if err := r.bucket.Notify(ctx, b.Name); err != nil {
		r.log.Error(err, "cannot notify")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// An informer ends with the process.
func (r *reconciler) inTheProcess(ctx context.Context, b *v1.Backup) error {
	if err := r.informers.RemoveInformer(ctx, &v1.Cluster{}); err != nil {
		r.log.Error(err, "cannot stop the informer")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) optionalLookUp(ctx context.Context, b *v1.Backup) error {
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		r.log.Error(err, "no defaults")
	}
	if err := r.bucket.Delete(ctx, c.Name+b.Name); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) lookUpNotFound(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	_, err := r.bucket.Lookup(ctx, b.Spec.Source)
	if err != nil {
		if apierrors.IsNotFound(err) && !b.DeletionTimestamp.IsZero() {
			return r.release(ctx, b)
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) lookUpOfOneKind(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	_, err := r.bucket.Lookup(ctx, b.Spec.Source)
	var gone unavailable
	switch {
	case errors.As(err, &gone):
		return r.release(ctx, b)
	case err != nil:
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) judgedByItsText(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil && !strings.Contains(err.Error(), "no such bucket") {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) judgedElsewhere(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); r.mustStop(err) {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) mustStop(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }

func (r *reconciler) rolledBackOnALiveObject(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	if _, err := r.bucket.Lookup(ctx, b.Name); err != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) validate(b *v1.Backup) error {
	if b.Spec.Source == "" {
		return errors.New("no source")
	}
	return nil
}

// What is not valid has never been provisioned, and never will be.
func (r *reconciler) notValid(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.validate(b); err != nil {
		if !b.DeletionTimestamp.IsZero() {
			return r.release(ctx, b)
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// A flag tells whether the clean-up is complete.
func (r *reconciler) cleanupParts(ctx context.Context, b *v1.Backup) (bool, error) {
	for name := range b.Status.Targets {
		if err := r.deletePart(ctx, name); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *reconciler) byTheFlag(ctx context.Context, b *v1.Backup) error {
	complete, err := r.cleanupParts(ctx, b)
	if complete {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return err
}

func removeSocket(name string) error { return os.Remove(filepath.Join(os.TempDir(), name)) }

func (r *reconciler) aFileOfThisProcess(ctx context.Context, b *v1.Backup) error {
	if err := removeSocket(b.Name); err != nil {
		r.log.Error(err, "cannot remove the socket")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// Unused data is deleted each time, whether the object is being deleted or not.
func (r *reconciler) eachTime(ctx context.Context, b *v1.Backup) error {
	if err := r.deletePart(ctx, "unused"); err != nil {
		r.log.Error(err, "cannot delete what is unused")
	}
	if !b.DeletionTimestamp.IsZero() {
		if err := r.deleteData(ctx, b); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return nil
}

// The wrapper's error keeps the finalizer on.
func (r *reconciler) wrapperKept(ctx context.Context, b *v1.Backup) error {
	if err := r.first(ctx, b); err != nil {
		return err
	}
	step := func() error { return r.deleteData(ctx, b) }
	if err := step(); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// uninstall releases whatever there is, once it has taken down something that has nothing to
// do with it and may be gone.
func (r *reconciler) uninstall(ctx context.Context, webhook string) error {
	config := &v1.Backup{}
	if err := r.Get(ctx, client.ObjectKey{Name: webhook}, config); err == nil {
		if err := r.Delete(ctx, config); err != nil {
			return err
		}
	}
	var all v1.BackupList
	if err := r.List(ctx, &all); err != nil {
		return err
	}
	for _, b := range all.Items {
		controllerutil.RemoveFinalizer(&b, v1.Finalizer)
		if err := r.Update(ctx, &b); err != nil {
			return err
		}
	}
	return nil
}

// What is deferred after a return does not run at that return.
func (r *reconciler) deferredLater(ctx context.Context, b *v1.Backup) (err error) {
	if err := r.deleteData(ctx, b); err != nil {
		return err
	}
	defer func() {
		controllerutilRemove(b)
		if e := r.Update(ctx, b); e != nil {
			err = e
		}
	}()
	return r.bucket.Notify(ctx, b.Name)
}

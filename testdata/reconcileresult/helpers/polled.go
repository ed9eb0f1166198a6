package helpers

import (
	"context"
	"fmt"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Right: whatever becomes of a step, it runs again half a minute later.
type polled struct{ client.Client }

func (r *polled) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.mark(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: 30 * time.Second}, nil
}

func (r *polled) mark(ctx context.Context, b *v1.Backup) error {
	if err := r.Update(ctx, b); err != nil {
		return nil
	}
	return nil
}

// Right: it runs again after what is configured.
type pacedPolled struct{ client.Client }

func (r *pacedPolled) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.mark(ctx, b); err != nil {
		return ctrl.Result{}, err
	} else {
		return ctrl.Result{RequeueAfter: pace()}, nil
	}
}

func (r *pacedPolled) mark(ctx context.Context, b *v1.Backup) error {
	if err := r.Update(ctx, b); err != nil {
		return nil
	}
	return nil
}

func pace() time.Duration {
	wait, err := time.ParseDuration(os.Getenv("RECONCILE_WAIT"))
	if err != nil {
		return 10 * time.Second
	}
	return wait
}

// It is not, if one phase ends it.
type seldomPolled struct{ client.Client }

func (r *seldomPolled) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.mark(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if b.Status.Phase == v1.BackupCompleted {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: 30 * time.Second}, nil
}

func (r *seldomPolled) mark(ctx context.Context, b *v1.Backup) error {
	if err := r.Update(ctx, b); err != nil { // want `a failed Update is not retried: mark returns success`
		return nil
	}
	return nil
}

// Right: an error of its own, or a requeue, though a defer may put another error in its place.
type deferring struct{ client.Client }

type refused struct{ what string }

func (e *refused) Error() string { return e.what }

func refuse(format string, args ...any) *refused { return &refused{fmt.Sprintf(format, args...)} }

func (r *deferring) Reconcile(ctx context.Context, req ctrl.Request) (res ctrl.Result, err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() { err = r.close(ctx, b, err) }()
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := r.Update(ctx, b); err != nil {
			if !apierrors.IsConflict(err) {
				return ctrl.Result{}, refuse("the finalizer of %s", b.Name)
			}
			return ctrl.Result{Requeue: true}, nil
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		if err := r.Update(ctx, b); err != nil {
			if apierrors.IsConflict(err) {
				return ctrl.Result{Requeue: true}, nil
			}
			return ctrl.Result{Requeue: true}, nil
		}
	}
	return ctrl.Result{}, nil
}

func (r *deferring) close(ctx context.Context, b *v1.Backup, err error) error {
	if failed := r.Status().Update(ctx, b); failed != nil && err == nil {
		return failed
	}
	return err
}

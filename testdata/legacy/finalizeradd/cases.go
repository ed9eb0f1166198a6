// Package finalizeradd has the cases against controller-runtime v0.14.
package finalizeradd

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

// Mistakes.

const bare = "backupFinalizer" // want `finalizeradd/unqualified`

// noReturn goes on when the clean-up is done.
type noReturn struct{ client.Client }

func (r *noReturn) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := handleFinalizer(ctx, r, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := addFinalizer(ctx, r, b); err != nil { // want `finalizeradd/while-deleting`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func handleFinalizer(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.GetDeletionTimestamp() != nil {
		if controllerutil.ContainsFinalizer(b, v1.Finalizer) {
			controllerutil.RemoveFinalizer(b, v1.Finalizer)
			if err := c.Update(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

func addFinalizer(ctx context.Context, c client.Client, obj client.Object) error {
	if !controllerutil.ContainsFinalizer(obj, v1.Finalizer) {
		controllerutil.AddFinalizer(obj, v1.Finalizer)
		return c.Update(ctx, obj)
	}
	return nil
}

// tooLate looks after the addition.
type tooLate struct{ client.Client }

func (r *tooLate) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	b.SetFinalizers(append(b.GetFinalizers(), bare)) // want `finalizeradd/while-deleting`
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, handleFinalizer(ctx, r, b)
}

func forgotten(ctx context.Context, c client.Client, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return err
	}
	controllerutil.AddFinalizer(b, v1.Finalizer) // want `finalizeradd/not-persisted`
	return nil
}

// Traps.

type right struct{ client.Client }

func (r *right) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, handleFinalizer(ctx, r, b)
	}
	return ctrl.Result{}, addFinalizer(ctx, r, b)
}

func created(ctx context.Context, c client.Client) error {
	b := &v1.Backup{}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return c.Create(ctx, b)
}

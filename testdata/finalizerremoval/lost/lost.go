// Package lost has removals of finalizers that nothing stores, whichever way is taken.
package lost

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/lost/release"
)

type reconciler struct {
	client.Client
}

func done() (ctrl.Result, error) { return ctrl.Result{}, nil }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return r.finalize(ctx, b)
	}
	b.Labels = map[string]string{"seen": "true"}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return done()
}

// finalize leaves it to Reconcile, which returns.
func (r *reconciler) finalize(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		if err := r.DeleteAllOf(ctx, &v1.Cluster{}, client.InNamespace(b.Namespace)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating: nothing stores this removal; Update or Patch it after \(finalizerremoval/not-persisted\)`
	}
	return done()
}

type other struct{ reconciler }

func (r *other) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := release.InMemory(ctx, r.Client, b, v1.Finalizer); err != nil { // want `nothing stores that InMemory removes the finalizer; Update or Patch it after \(finalizerremoval/not-persisted\)`
		return ctrl.Result{}, err
	}
	return done()
}

// patchOfNothing has the removal in its base.
func patchOfNothing[T client.Object](ctx context.Context, c client.Client, obj T, name string) error {
	controllerutil.RemoveFinalizer(obj, name) // want `the patch on line \d+ starts from the copy that line \d+ makes after it; copy it before \(finalizerremoval/not-persisted\)`
	base := obj.DeepCopyObject().(client.Object)
	return c.Patch(ctx, obj, client.MergeFrom(base))
}

func (r *reconciler) released(ctx context.Context, b *v1.Backup) error {
	return patchOfNothing(ctx, r.Client, b, v1.Finalizer)
}

// readAgain overwrites what it has changed.
func (r *reconciler) readAgain(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `line \d+ reads it again before it is written, with the finalizer; remove it after the read \(finalizerremoval/not-persisted\)`
	return release.Retry(3, func() error {
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return client.IgnoreNotFound(err)
		}
		return r.Update(ctx, b)
	})
}

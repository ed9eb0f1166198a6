package persisted

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// patcher remembers an object, as the patch helpers of other modules do, and sends
// what has changed.
type patcher interface {
	Patch(ctx context.Context, obj client.Object, opts ...any) error
}

// byValue removes the finalizer in a helper, and stores the object in a deferred
// function, by a helper that gets a copy of it.
type byValue struct {
	client.Client
	patchers func(client.Object) (patcher, error)
}

func (r *byValue) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	p, err := r.patchers(b.DeepCopy())
	if err != nil {
		return ctrl.Result{}, err
	}
	defer func() {
		if err := send(ctx, p, *b); err != nil {
			reterr = errors.Join(reterr, err)
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		return r.remove(ctx, b)
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return ctrl.Result{}, nil
}

func (r *byValue) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, &v1.Cluster{}); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return ctrl.Result{}, nil
}

func send(ctx context.Context, p patcher, b v1.Backup) error { return p.Patch(ctx, &b) }

// statusByValue stores the status of a copy and nothing else.
type statusByValue struct{ client.Client }

func (r *statusByValue) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() {
		if err := r.sendStatus(ctx, *b); err != nil {
			reterr = errors.Join(reterr, err)
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		return r.remove(ctx, b)
	}
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return ctrl.Result{}, r.Update(ctx, b)
}

func (r *statusByValue) remove(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if err := r.Delete(ctx, &v1.Cluster{}); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating: nothing stores this removal.*\(finalizerremoval/not-persisted\)`
	return ctrl.Result{}, nil
}

func (r *statusByValue) sendStatus(ctx context.Context, b v1.Backup) error {
	return r.Status().Update(ctx, &b)
}

// readAgain reads the copy anew before it is stored: what was removed from the
// object of the caller is not in it.
type readAgain struct{ client.Client }

func (r *readAgain) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `the Backup stays Terminating.*\(finalizerremoval/not-persisted\)`
	if err := r.touch(ctx, *b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

func (r *readAgain) touch(ctx context.Context, b v1.Backup) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(&b), &b); err != nil {
		return err
	}
	b.Spec.Paused = true
	return r.Update(ctx, &b)
}

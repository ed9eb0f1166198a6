// Package made has objects that a function makes for the client to read into.
package made

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const finalizer = "example.opvet.dev/made"

func newBackup() *v1.Backup { return &v1.Backup{} }

// fetched adds to what it has read.
type fetched struct{ client.Client }

func (r *fetched) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := newBackup()
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `while-deleting`
		if err := r.Update(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// checked looks at the deletion first.
type checked struct{ client.Client }

func (r *checked) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := newBackup()
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	if controllerutil.AddFinalizer(b, finalizer) {
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// created adds to a new object.
type created struct{ client.Client }

func (r *created) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := newBackup()
	b.ObjectMeta = metav1.ObjectMeta{Name: req.Name, Namespace: req.Namespace}
	controllerutil.AddFinalizer(b, finalizer)
	return ctrl.Result{}, r.Create(ctx, b)
}

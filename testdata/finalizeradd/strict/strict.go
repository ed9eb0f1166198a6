// Package strict has additions that are reported with the strict flag only.
package strict

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// domainOnly has a domain and no path.
const domainOnly = "example.opvet.dev" // want `has a domain but no name: .* \(finalizeradd/unqualified\)`

// protector never looks at a deletion: another program takes the finalizer
// off.
type protector struct{ client.Client }

func (r *protector) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, domainOnly) { // want `while-deleting`
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// Upsert may meet an object that is being deleted.
func Upsert(ctx context.Context, c client.Client, key client.ObjectKey) error {
	b := &v1.Backup{}
	b.Name, b.Namespace = key.Name, key.Namespace
	_, err := controllerutil.CreateOrUpdate(ctx, c, b, func() error {
		controllerutil.AddFinalizer(b, v1.Finalizer) // want `while-deleting`
		return nil
	})
	return err
}

// Protect is called by nobody in this package.
func Protect(ctx context.Context, c client.Client, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return err
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) { // want `while-deleting`
		return c.Update(ctx, b)
	}
	return nil
}

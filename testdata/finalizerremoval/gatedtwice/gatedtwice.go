// Package gatedtwice removes a finalizer in two places that depend on one field.
package gatedtwice

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const linkFinalizer = "example.opvet.dev/link"

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.Spec.Paused {
		return ctrl.Result{}, nil
	}
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, linkFinalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	// What moves is let go of early.
	if b.Labels["moves"] == "true" && b.Status.Message != "" {
		controllerutil.RemoveFinalizer(b, linkFinalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	controllerutil.RemoveFinalizer(b, linkFinalizer) // want `if Spec\.Paused says otherwise at deletion \(line \d+\), the Backup stays Terminating.*\(finalizerremoval/gated\)`
	return ctrl.Result{}, r.Update(ctx, b)
}

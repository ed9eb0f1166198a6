// Package fix has the cases of the suggested fixes.
package fix

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Update(ctx, b); err != nil {
		return ctrl.Result{Requeue: true}, err // want `hygiene: .* \(2 returns\)`
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return ctrl.Result{
			Requeue: true,
		}, err
	}
	// Without the Result it would still not come back after a minute.
	if err := r.Delete(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: time.Minute}, err // want `hygiene: `
	}
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

type explains struct{ client.Client }

func (r *explains) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.Update(ctx, &v1.Backup{}); err != nil {
		return ctrl.Result{ // want `hygiene: `
			Requeue: true, // until somebody frees the name
		}, err
	}
	return ctrl.Result{}, nil
}

func expires(backup *v1.Backup) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: time.Until(backup.CreationTimestamp.Add(time.Hour))}, nil // want `not looked at again`
}

// Package reconcileresult has the cases against the older libraries.
package reconcileresult

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

const pause = 5 * time.Second

type beside struct{ client.Client }

func (r *beside) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{Requeue: true}, nil // want `\(reconcileresult/notfound-requeued\)`
		}
		return ctrl.Result{RequeueAfter: pause}, err // want `\(reconcileresult/result-with-error\)`
	}
	if b.Spec.Paused {
		return ctrl.Result{RequeueAfter: pause}, r.Update(ctx, b)
	}
	if err := r.Status().Update(ctx, b); err != nil { // want `\(reconcileresult/swallowed\)`
		return ctrl.Result{}, nil
	}
	return r.remove(ctx, b)
}

func (r *beside) remove(ctx context.Context, b *v1.Backup) (reconcile.Result, error) {
	if err := r.Delete(ctx, b); err != nil {
		return reconcile.Result{Requeue: true}, err // want `\(reconcileresult/result-with-error\)`
	}
	return reconcile.Result{Requeue: true}, nil
}

func past(b *v1.Backup) (ctrl.Result, error) {
	left := time.Until(b.CreationTimestamp.Add(time.Hour))
	return ctrl.Result{RequeueAfter: left}, nil // want `not looked at again: .*reconcileresult/past`
}

func checked(b *v1.Backup) (ctrl.Result, error) {
	if left := time.Until(b.CreationTimestamp.Add(time.Hour)); left > 0 {
		return ctrl.Result{RequeueAfter: left}, nil
	}
	return ctrl.Result{}, nil
}

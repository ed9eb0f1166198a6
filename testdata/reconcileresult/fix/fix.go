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
		return ctrl.Result{RequeueAfter: 5 * time.Second}, err // want `\(reconcileresult/result-with-error\)`
	}
	if err := r.Status().Update(ctx, b); err != nil {
		return ctrl.Result{ // want `\(reconcileresult/result-with-error\)`
			RequeueAfter: time.Second,
		}, err
	}
	// What is computed for the Result only would be left over.
	delay := time.Duration(len(b.Name)) * time.Second
	if err := r.Delete(ctx, b); err != nil {
		return ctrl.Result{RequeueAfter: delay}, err // want `\(reconcileresult/result-with-error\)`
	}
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

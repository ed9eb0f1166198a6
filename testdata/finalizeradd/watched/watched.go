// Package watched reconciles objects that a predicate lets pass.
package watched

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) SetupWithManager(mgr ctrl.Manager) error {
	live := predicate.NewPredicateFuncs(func(obj client.Object) bool { return obj.GetDeletionTimestamp().IsZero() })
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).WithEventFilter(live).Complete(r)
}

// Reconcile sees live objects only.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, v1.Finalizer) {
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

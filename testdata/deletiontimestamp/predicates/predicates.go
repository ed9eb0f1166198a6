// Package predicates has a controller that sees deleted objects only.
package predicates

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

var deleted = predicate.NewPredicateFuncs(func(obj client.Object) bool {
	return obj.GetDeletionTimestamp() != nil
})

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var backup v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if time.Since(backup.DeletionTimestamp.Time) < time.Minute {
		return reconcile.Result{RequeueAfter: time.Minute}, nil
	}
	return reconcile.Result{}, r.Delete(ctx, &backup, client.GracePeriodSeconds(0))
}

package frameworks

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// objectReconciler gets the object itself. Nobody stores its status for it.
type objectReconciler struct {
	client.Client
}

func (r *objectReconciler) Reconcile(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.Spec.Source == "" {
		b.MarkFailed("no source")
		return ctrl.Result{}, r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
	}
	b.Status.Phase = v1.BackupRunning
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func setUp(mgr ctrl.Manager) error {
	r := &objectReconciler{Client: mgr.GetClient()}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

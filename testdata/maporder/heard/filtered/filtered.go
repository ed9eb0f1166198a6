// Package filtered has a controller that no change of a status runs again.
package filtered

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	status := statusOf(map[string]string{"a": b.Name, "b": b.Name})
	b.Status = *status
	return ctrl.Result{}, r.Status().Update(ctx, b)
}

func statusOf(volumes map[string]string) *v1.BackupStatus {
	status := &v1.BackupStatus{}
	for name := range volumes {
		status.Volumes = append(status.Volumes, v1.VolumeStatus{Name: name}) // want `^hygiene: BackupStatus\.Volumes changes each time`
	}
	return status
}

func (r *reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).Complete(r)
}

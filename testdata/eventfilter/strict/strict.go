// Package strict has what may be polled.
package strict

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// hurried asks to be called again, but not because of the job.
type hurried struct{ client.Client }

func (r *hurried) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	job := new(batchv1.Job)
	if err := r.Get(ctx, req.NamespacedName, job); err != nil {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if job.Status.Succeeded == 0 {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Create(ctx, &v1.Backup{})
}

func setUp(mgr manager.Manager, r *hurried) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&batchv1.Job{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}). // want `the filter drops changes of the status of Job`
		Complete(r)
}

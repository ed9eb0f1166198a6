package sleep

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type patient struct{ client.Client }

func (r *patient) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	r.asks(ctx, backup)
	r.deaf(ctx, backup)
	return ctrl.Result{}, nil
}

// asks looks in each round whether its context has ended.
func (r *patient) asks(ctx context.Context, backup *v1.Backup) {
	for backup.Status.Phase != v1.BackupRunning {
		if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			return
		}
		if ctx.Err() != nil {
			return
		}
		time.Sleep(15 * time.Second) // want `^hygiene: asks \(from Reconcile\) sleeps for 15s in each round of a loop and holds a worker`
	}
}

// deaf does not.
func (r *patient) deaf(ctx context.Context, backup *v1.Backup) {
	for backup.Status.Phase != v1.BackupRunning { // want `^stuck: Reconcile holds its worker forever: nothing but success ends this loop`
		if err := r.Get(ctx, client.ObjectKeyFromObject(backup), backup); err != nil {
			ctrl.Log.Error(err, "reading")
		}
		time.Sleep(15 * time.Second)
	}
}

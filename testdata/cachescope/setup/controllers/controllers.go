// Package controllers has functions that add controllers to a manager.
package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"

	ctrl "sigs.k8s.io/controller-runtime"
)

// AddToManager are the functions that add a controller each.
var AddToManager = map[string]func(manager.Manager) error{"backup": addBackup}

type backups struct{ client client.Client }

func newBackups(mgr manager.Manager) reconcile.Reconciler { return &backups{client: mgr.GetClient()} }

func addBackup(mgr manager.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(newBackups(mgr))
}

func (r *backups) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	err := r.client.Get(ctx, req.NamespacedName, &corev1.ConfigMap{})
	return reconcile.Result{}, err
}

// Package strict has children that nobody watches.
package strict

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type creates struct {
	client.Client
	scheme *runtime.Scheme
}

func (r *creates) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup, workload := new(v1.Backup), new(appsv1.Deployment)
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := controllerutil.SetControllerReference(backup, workload, r.scheme); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Create(ctx, workload)
}

func unwatched(mgr manager.Manager, r *creates) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r) // want `a Deployment that is changed or deleted stays so: creates creates it \(strict.go:\d+\) and does not watch it; add Owns`
}

func watched(mgr manager.Manager, r *creates) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Owns(&appsv1.Deployment{}).Complete(r)
}

// Command unseen needs much, and its markers grant next to nothing of it: its roles are
// elsewhere.
package main

import (
	"context"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// +kubebuilder:rbac:groups=example.opvet.dev,resources=backups,verbs=get;list;watch

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	backup := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Get(ctx, req.NamespacedName, &corev1.ConfigMap{}); err != nil { // want `^hygiene: .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	if err := r.Get(ctx, req.NamespacedName, &corev1.Secret{}); err != nil { // want `^hygiene: .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	if err := r.Get(ctx, req.NamespacedName, &corev1.Service{}); err != nil { // want `^hygiene: .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	if err := r.Get(ctx, req.NamespacedName, &appsv1.StatefulSet{}); err != nil { // want `^hygiene: .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	if err := r.Get(ctx, req.NamespacedName, &batchv1.Job{}); err != nil { // want `^hygiene: .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Get(ctx, req.NamespacedName, &networkingv1.Ingress{}) // want `^hygiene: .*rbac/missing-resource`
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(&reconciler{mgr.GetClient()}); err != nil {
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}

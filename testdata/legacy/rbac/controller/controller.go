// Package controller has the markers, and calls that they do not allow.
package controller

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/legacy/rbac/helpers"
)

// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;create;update

// Reconciler reconciles ConfigMaps.
type Reconciler struct {
	client.Client
	Clients kubernetes.Interface
}

// Reconcile makes Secrets, Services and Jobs.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := helpers.Ensure(ctx, r.Client, &corev1.Secret{}); err != nil { // want `^stuck: c\.Create is always forbidden: no role grants create of secrets; add a marker .*rbac/missing-resource`
		return ctrl.Result{}, err
	}
	if err := helpers.Ensure(ctx, r.Client, &corev1.Service{}); err != nil { //nolint:rbac // granted by hand
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Update(ctx, &config) // want `^stuck: r\.Update is always forbidden: no role grants update of configmaps; add it to the marker .*rbac/missing-verb`
}

// SetupWithManager watches Jobs, too.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		Owns(&batchv1.Job{}). // want `^stuck: the informer never syncs, and its controller never starts: no role grants list and watch of jobs\.batch; .*rbac/missing-resource`
		Complete(r)
}

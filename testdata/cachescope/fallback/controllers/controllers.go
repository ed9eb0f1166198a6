// Package controllers reads through the client only where it has no reader.
package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Reconciler reads Secrets past the cache, if it can.
type Reconciler struct {
	client.Client
	APIReader client.Reader
}

// Reconcile reads one.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, client.IgnoreNotFound(r.get(ctx, req.NamespacedName, &corev1.Secret{}))
}

func (r *Reconciler) get(ctx context.Context, key client.ObjectKey, object client.Object) error {
	if r.APIReader != nil {
		return r.APIReader.Get(ctx, key, object)
	}
	return r.Client.Get(ctx, key, object)
}

// SetUp sets the controller up.
func (r *Reconciler) SetUp(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Package controllers has reconcilers that main gives their clients.
package controllers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/cachescope/app/helpers"
)

// Base is shared by the reconcilers.
type Base struct {
	client.Client
	Live client.Reader
}

// Backup reads a password for each backup.
type Backup struct {
	Base
	Namespace string
}

// Reconcile brings one backup up to date.
func (r *Backup) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if _, err := helpers.Password(ctx, r, req.Namespace, req.Name); err != nil {
		return ctrl.Result{}, err
	}
	if _, err := helpers.Settings(ctx, r.Client, r.Namespace); err != nil {
		return ctrl.Result{}, err
	}
	var pod corev1.Pod
	return ctrl.Result{}, r.Get(ctx, req.NamespacedName, &pod)
}

// SetupWithManager registers the controller.
func (r *Backup) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&v1.Backup{}).Complete(r)
}

// Restore reads the settings past the cache.
type Restore struct {
	Base
	Namespace string
}

// Reconcile brings one restore up to date.
func (r *Restore) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	_, err := helpers.Settings(ctx, r.Live, r.Namespace)
	return ctrl.Result{}, err
}

// SetupWithManager registers the controller.
func (r *Restore) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("restore").For(&v1.Backup{}).Owns(&corev1.Pod{}).Complete(r)
}

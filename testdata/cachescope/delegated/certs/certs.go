// Package certs reconciles backups and their certificates.
package certs

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/cachescope/delegated/patching"
)

type certificates struct{ client client.Client }

// New makes a reconciler that somebody else completes.
func New(c client.Client) *patching.Reconciler[v1.Backup] {
	return patching.New(c, &certificates{client: c})
}

// Setup watches Secrets on purpose: what reads them costs nothing more.
func (r *certificates) Setup(mgr ctrl.Manager) *builder.Builder {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(nil))
}

func (r *certificates) ReconcileOne(ctx context.Context, backup *v1.Backup) (ctrl.Result, error) {
	secret := new(corev1.Secret)
	if err := r.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "certificate"}, secret); err != nil {
		return ctrl.Result{}, err
	}
	// Nothing watches ConfigMaps.
	config := new(corev1.ConfigMap)
	return ctrl.Result{}, r.client.Get(ctx, client.ObjectKey{Namespace: backup.Namespace, Name: "config"}, config)
}

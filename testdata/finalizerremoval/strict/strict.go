// Package strict has what only the strict flag reports.
package strict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) byForce(ctx context.Context, pod *corev1.Pod) error {
	pod.Finalizers = nil // want `\(finalizerremoval/strips-foreign\)`
	return r.Update(ctx, pod)
}

func (r *reconciler) rebuilt(ctx context.Context, stored, built *corev1.ConfigMap) error {
	built.ResourceVersion = stored.ResourceVersion
	return r.Update(ctx, built) // want `\(finalizerremoval/strips-foreign\)`
}

func (r *reconciler) needsCredentials(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil { // want `\(finalizerremoval/notfound-stuck\)`
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) waitsForCluster(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.GetDeletionTimestamp() != nil {
		c := &v1.Cluster{}
		if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil { // want `\(finalizerremoval/skipped-path\)`
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

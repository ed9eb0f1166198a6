// Package gone has clean-ups that surely fail for ever once what they delete is gone.
package gone

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
}

func claimOf(b *v1.Backup, i int) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: fmt.Sprintf("%s-%d", b.Name, i)}}
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp != nil {
		if controllerutil.ContainsFinalizer(b, v1.Finalizer) {
			if err := r.Client.Delete(ctx, claimOf(b, 0)); err != nil { // want `^stuck: if Delete returns NotFound, the finalizer never comes off and the Backup stays Terminating; use client.IgnoreNotFound \(finalizerremoval/notfound-stuck\)`
				return ctrl.Result{}, err
			}
			controllerutil.RemoveFinalizer(b, v1.Finalizer)
			return ctrl.Result{}, r.Update(ctx, b)
		}
	}
	return ctrl.Result{}, nil
}

// Finalize is called by other packages.
func Finalize(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() == nil || !controllerutil.ContainsFinalizer(b, name) {
		return nil
	}
	if b.Spec.Source != "" {
		if err := deleteClaims(ctx, c, b); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, name)
	return c.Update(ctx, b)
}

// hooks are run one after the other.
var hooks []func(*v1.Backup)

func deleteClaims(ctx context.Context, c client.Client, b *v1.Backup) error {
	for _, hook := range hooks {
		hook(b)
	}
	for i := range 3 {
		claim := claimOf(b, i)
		if err := c.Delete(ctx, claim); err != nil { // want `^stuck: .*\(finalizerremoval/notfound-stuck\)`
			log.FromContext(ctx).Error(err, "cannot delete a claim")
			return fmt.Errorf("delete %s: %w", claim.Name, err)
		}
	}
	return nil
}

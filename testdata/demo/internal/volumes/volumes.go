// Package volumes keeps the volumes of Caches.
package volumes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	claimsFinalizer    = "cache.demo.opvet.dev/claims"
	snapshotsFinalizer = "cache.demo.opvet.dev/snapshots"
)

// Reconciler keeps the volumes of a Cache.
type Reconciler struct {
	client.Client
}

// Reconcile makes the volumes, or takes them away.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !cache.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, &cache)
	}
	if controllerutil.AddFinalizer(&cache, snapshotsFinalizer) {
		if err := r.Update(ctx, &cache); err != nil {
			return ctrl.Result{}, err
		}
	}
	controllerutil.AddFinalizer(&cache, claimsFinalizer)
	if cache.Spec.Replicas == nil {
		return ctrl.Result{}, nil
	}
	if err := r.Update(ctx, &cache); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.ensure(ctx, &cache)
}

func (r *Reconciler) ensure(ctx context.Context, cache *v1alpha1.Cache) error {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, claim, func() error {
		return controllerutil.SetOwnerReference(cache, claim, r.Scheme())
	})
	return err
}

func (r *Reconciler) release(ctx context.Context, cache *v1alpha1.Cache) error {
	if cache.Spec.Replicas != nil {
		controllerutil.RemoveFinalizer(cache, snapshotsFinalizer)
	}
	var claim corev1.PersistentVolumeClaim
	if err := r.Get(ctx, client.ObjectKeyFromObject(cache), &claim); err != nil {
		return err
	}
	if err := r.Delete(ctx, &claim); client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.RemoveFinalizer(cache, claimsFinalizer)
	if err := r.Update(ctx, cache); err != nil {
		return fmt.Errorf("letting the Cache go: %w", err)
	}
	return nil
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("volumes").
		For(&v1alpha1.Cache{}).
		Owns(&corev1.PersistentVolumeClaim{}).
		Complete(r)
}

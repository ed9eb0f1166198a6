// Package mirror copies the settings of caches to where their clients run.
package mirror

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Settings is the ConfigMap that is copied.
const Settings = "cache-settings"

// Reconciler copies.
type Reconciler struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("mirror").
		For(&v1alpha1.Cache{}).
		Owns(&corev1.Pod{}).
		Owns(&corev1.Secret{}).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.OnlyMetadata).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.all), builder.WithPredicates(predicate.NewPredicateFuncs(isSettings))).
		Complete(r)
}

func isSettings(o client.Object) bool { return o.GetName() == Settings }

func (r *Reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	var caches v1alpha1.CacheList
	if err := r.List(ctx, &caches); err != nil {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(caches.Items))
	for i := range caches.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&caches.Items[i])})
	}
	return requests
}

// Reconcile gives the clients of a cache a copy of its password.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.copySecret(ctx, &cache)
}

func (r *Reconciler) copySecret(ctx context.Context, cache *v1alpha1.Cache) error {
	var secret corev1.Secret
	if err := r.Get(ctx, client.ObjectKeyFromObject(cache), &secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	mirrored := &corev1.Secret{Data: secret.Data}
	mirrored.Namespace, mirrored.Name = cache.Namespace, cache.Name+"-clients"
	if err := ctrl.SetControllerReference(cache, mirrored, r.Scheme()); err != nil {
		return fmt.Errorf("owning %s: %w", mirrored.Name, err)
	}
	if err := r.Create(ctx, mirrored); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("copying %s: %w", secret.Name, err)
	}
	return nil
}

// Reachable reports whether the node of a client has an address.
func (r *Reconciler) Reachable(ctx context.Context, name string) (bool, error) {
	var node corev1.Node
	if err := r.Get(ctx, types.NamespacedName{Name: name}, &node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return len(node.Status.Addresses) > 0, nil
}

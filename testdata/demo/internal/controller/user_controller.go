package controller

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Accounts is what the servers know of users.
type Accounts interface {
	// Ensure makes the account exist on a cache with that password.
	Ensure(ctx context.Context, cache client.ObjectKey, user string, password []byte) error
}

// UserReconciler tells the servers about each CacheUser.
type UserReconciler struct {
	client.Client
	Accounts Accounts
}

// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=cacheusers,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=cache.demo.opvet.dev,resources=cacheusers/status,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch

// Reconcile makes the account of a CacheUser exist.
func (r *UserReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var user v1alpha1.CacheUser
	if err := r.Get(ctx, req.NamespacedName, &user); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !user.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	if user.Status.Synced && user.Status.ObservedGeneration == user.Generation {
		return ctrl.Result{}, nil
	}
	var secret corev1.Secret
	//nolint:detachedctx // the cache answers at once
	if err := r.Get(ctx, client.ObjectKey{Namespace: user.Namespace, Name: user.Spec.SecretName}, &secret); err != nil {
		return ctrl.Result{}, fmt.Errorf("reading the password: %w", err)
	}
	cache := client.ObjectKey{Namespace: user.Namespace, Name: user.Spec.Cache}
	if err := r.Accounts.Ensure(ctx, cache, user.Name, secret.Data["password"]); err != nil {
		return ctrl.Result{}, fmt.Errorf("creating the account: %w", err)
	}
	user.Status.Synced = true
	user.Status.ObservedGeneration = user.Generation
	if err := r.Status().Update(ctx, &user); err != nil {
		return ctrl.Result{}, fmt.Errorf("updating the status: %w", err)
	}
	return ctrl.Result{}, nil
}

// SetupWithManager registers the controller.
func (r *UserReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CacheUser{}).
		Complete(r)
}

// Package patching wraps reconcilers that say what they watch, and completes their
// controllers.
package patching

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Delegate is what is wrapped.
type Delegate[T any] interface {
	ReconcileOne(ctx context.Context, obj T) (ctrl.Result, error)
	Setup(mgr ctrl.Manager) *builder.Builder
}

// Reconciler reads the object for a delegate.
type Reconciler[T any] struct {
	client   client.Client
	delegate Delegate[*T]
}

// New makes a reconciler for a kind.
func New[T any](c client.Client, delegate Delegate[*T]) *Reconciler[T] {
	return &Reconciler[T]{client: c, delegate: delegate}
}

func (r *Reconciler[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	obj := new(T)
	if err := r.client.Get(ctx, req.NamespacedName, any(obj).(client.Object)); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return r.delegate.ReconcileOne(ctx, obj)
}

// Setup completes the controller that the delegate begins.
func (r *Reconciler[T]) Setup(mgr ctrl.Manager) error {
	return r.delegate.Setup(mgr).Complete(r)
}

package gone

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Which of the deleted objects' keys come back is a question of what is remembered of the object.

type remembers struct {
	client.Client
	known map[types.NamespacedName]*v1.Backup
}

func (r *remembers) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			last, ok := r.known[req.NamespacedName]
			if !ok {
				return ctrl.Result{}, nil
			}
			if len(last.Labels) > 0 {
				delete(r.known, req.NamespacedName)
				return ctrl.Result{}, nil
			}
		}
		return ctrl.Result{}, err // want `hygiene: .* ends in an error`
	}
	r.known[req.NamespacedName] = b.DeepCopy()
	return ctrl.Result{}, nil
}

// letsSomeGo comes back for those that it knows.
type letsSomeGo struct{ remembers }

func (r *letsSomeGo) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if apierrors.IsNotFound(err) {
		if r.known[req.NamespacedName] != nil {
			return ctrl.Result{RequeueAfter: pause}, nil // want `hygiene: .* ends in a requeue`
		}
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// keepsAll comes back for all of them, whatever it knows.
type keepsAll struct{ remembers }

func (r *keepsAll) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			if r.known[req.NamespacedName] != nil {
				return ctrl.Result{RequeueAfter: pause}, nil // want `leak: .* ends in a requeue`
			}
			return ctrl.Result{}, err // want `leak: .* ends in an error`
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, nil
}

// afterwards lets all go, and comes back for what does exist.
type afterwards struct{ remembers }

func (r *afterwards) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{RequeueAfter: pause}, nil
}

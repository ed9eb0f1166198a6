// Package gone has the cases of reconcileresult/notfound-requeued.
package gone

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const pause = 5 * time.Second

type variable struct{ client.Client }

func (r *variable) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	again := ctrl.Result{RequeueAfter: pause}
	b := &v1.Backup{}
	err := r.Get(ctx, req.NamespacedName, b)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return again, nil // want `leak: the key of each deleted \*v1.Backup comes back forever.*a requeue.*\(reconcileresult/notfound-requeued\)`
		}
		return ctrl.Result{}, err
	}
	return again, nil
}

type literal struct{ client.Client }

func (r *literal) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: req.Name}, b); apierrors.IsNotFound(err) {
		return ctrl.Result{Requeue: true}, nil // want `\(reconcileresult/notfound-requeued\)`
	} else if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type anError struct{ client.Client }

func (r *anError) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, fmt.Errorf("no such backup: %w", err) // want `leak: .* ends in an error`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

type captured struct{ client.Client }

func (r *captured) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	log := func() { fmt.Println(req) }
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if client.IgnoreAlreadyExists(err) == nil {
			log()
			return ctrl.Result{}, nil
		}
		if apierrors.IsNotFound(err) {
			log()
			return ctrl.Result{RequeueAfter: pause}, nil // want `\(reconcileresult/notfound-requeued\)`
		}
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

// A typed reconciler has a request of its own.
type clusterRequest struct {
	types.NamespacedName
	Cluster string
}

type typed struct{ client.Client }

var _ reconcile.TypedReconciler[clusterRequest] = new(typed)

func (r *typed) Reconcile(ctx context.Context, req clusterRequest) (reconcile.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		if apierrors.IsNotFound(err) {
			return reconcile.Result{RequeueAfter: pause}, nil // want `leak: .*\(reconcileresult/notfound-requeued\)`
		}
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, nil
}

// With NotFound ignored, the Result counts.
type ignores struct {
	client.Client
	interval time.Duration
}

func (r *ignores) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{RequeueAfter: r.interval}, client.IgnoreNotFound(err) // want `leak: .*a requeue.*\(reconcileresult/notfound-requeued\)`
	}
	return ctrl.Result{}, nil
}

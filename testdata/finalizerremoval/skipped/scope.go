package skipped

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// scope is what one reconcile hands around.
type scope struct {
	backup  *v1.Backup
	cluster *v1.Cluster
}

// letGo takes the finalizer off in memory; a deferred call of Reconcile stores it.
func (r *reconciler) letGo(s *scope) error {
	controllerutil.RemoveFinalizer(s.backup, v1.Finalizer)
	return nil
}

func (r *reconciler) storedAtTheEnd(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil { // want `if Get of the Cluster returns NotFound, the finalizer never comes off and the Backup stays Terminating.*\(finalizerremoval/skipped-path\)`
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, err
	}
	s := &scope{backup: b, cluster: c}
	defer func() {
		if err := r.Update(ctx, s.backup); err != nil {
			reterr = err
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.letGo(s)
	}
	return ctrl.Result{}, nil
}

// Traps.

// The deletion comes first, with a scope that has no cluster.
func (r *reconciler) deletionFirstInScope(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	s := &scope{backup: b}
	defer func() {
		if err := r.Update(ctx, s.backup); err != nil {
			reterr = err
		}
	}()
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.letGo(s)
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, nil
}

// It comes back for what is not there yet.
func (r *reconciler) comesBackInScope(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	c := &v1.Cluster{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, c); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{RequeueAfter: 1}, nil
		}
		return ctrl.Result{}, err
	}
	s := &scope{b, c}
	defer func() { reterr = r.Update(ctx, s.backup) }()
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.letGo(s)
	}
	return ctrl.Result{}, nil
}

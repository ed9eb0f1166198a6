// Package stuck has additions on account of which an object that is being
// deleted is never released.
package stuck

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	finalizer    = "example.opvet.dev/cleanup"
	oldFinalizer = "backups.opvet.dev/cleanup"
	// Names on kinds of Kubernetes itself need a slash.
	bare      = "protect"              // want `stuck: the API server refuses each Secret with the finalizer "protect"; use a domain and a name`
	pathless  = "protect.opvet.dev"    // want `stuck: the API server refuses each ConfigMap with the finalizer "protect.opvet.dev"`
	qualified = "opvet.dev/protection" // fine
	twice     = "used-for-both"        // want `stuck: the API server refuses each Secret`
)

// renamed is a finalizer that replaces an older one.
type renamed struct{ client.Client }

func (r *renamed) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `stuck: a deleted Backup stays Terminating: this addition is refused before line \d+ removes another finalizer; check DeletionTimestamp first`
		if err := r.Update(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, oldFinalizer)
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// undone adds what it has just removed.
type undone struct{ client.Client }

func (r *undone) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
	}
	controllerutil.AddFinalizer(b, finalizer) // want `stuck: a deleted Backup stays Terminating: the finalizer removed on line \d+ is added again before that is stored`
	return ctrl.Result{}, r.Update(ctx, b)
}

// oneOnly fails again and again, and has nothing else to release.
type oneOnly struct{ client.Client }

func (r *oneOnly) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if controllerutil.AddFinalizer(b, finalizer) { // want `hygiene: while another finalizer keeps a deleted Backup, each reconcile fails`
		return ctrl.Result{}, r.Update(ctx, b)
	}
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

// protect adds to kinds of Kubernetes and to one that is not.
func protect(s *corev1.Secret, m *corev1.ConfigMap, b *v1.Backup) {
	controllerutil.AddFinalizer(b, twice)
	controllerutil.AddFinalizer(s, twice)
	controllerutil.AddFinalizer(s, bare)
	controllerutil.AddFinalizer(m, pathless)
	controllerutil.AddFinalizer(m, qualified)
	controllerutil.AddFinalizer(b, "custom.opvet.dev")
}

// onePass adds and removes in one function that is called once, and stored behind.
type onePass struct{ client.Client }

func (r *onePass) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		controllerutil.AddFinalizer(b, finalizer) // want `hygiene: while another finalizer keeps a deleted Backup`
		if !b.DeletionTimestamp.IsZero() {
			return recorded(b, func() error {
				controllerutil.RemoveFinalizer(b, finalizer)
				return nil
			})
		}
		return recorded(b, func() error { return nil })
	})
	return ctrl.Result{}, err
}

func recorded(b *v1.Backup, do func() error) error {
	if err := do(); err != nil {
		b.Status.Phase = "failed"
		return err
	}
	return nil
}

// Package owned has objects that are created with their finalizer, and lose it
// only when their owner is deleted: one that is being deleted has it still.
package owned

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	secretFinalizer = "example.opvet.dev/secret"
	configFinalizer = "example.opvet.dev/config"
	claimFinalizer  = "example.opvet.dev/claim"
)

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.release(ctx, b)
	}
	if err := r.ensureSecret(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.ensureConfig(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.ensureClaim(ctx, b)
}

// ensureSecret creates it with the finalizer.
func (r *reconciler) ensureSecret(ctx context.Context, b *v1.Backup) error {
	s := &corev1.Secret{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), s)
	if apierrors.IsNotFound(err) {
		s = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace, Finalizers: []string{secretFinalizer}}}
		return r.Create(ctx, s)
	}
	if err != nil {
		return err
	}
	if controllerutil.AddFinalizer(s, secretFinalizer) {
		return r.Update(ctx, s)
	}
	return nil
}

// ensureConfig adds it in one place for both.
func (r *reconciler) ensureConfig(ctx context.Context, b *v1.Backup) error {
	m := &corev1.ConfigMap{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), m)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.AddFinalizer(m, configFinalizer)
	if apierrors.IsNotFound(err) {
		m.Name, m.Namespace = b.Name, b.Namespace
		return r.Create(ctx, m)
	}
	return r.Update(ctx, m)
}

// release is for the deletion of the owner.
func (r *reconciler) release(ctx context.Context, b *v1.Backup) error {
	s := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), s); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(s, secretFinalizer)
	if err := r.Update(ctx, s); err != nil {
		return err
	}
	m := &corev1.ConfigMap{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), m); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(m, configFinalizer)
	return r.Update(ctx, m)
}

// A claim that is being deleted itself loses the finalizer, and gets it again.
func (r *reconciler) ensureClaim(ctx context.Context, b *v1.Backup) error {
	p := &corev1.PersistentVolumeClaim{}
	err := r.Get(ctx, client.ObjectKeyFromObject(b), p)
	if apierrors.IsNotFound(err) {
		p = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace, Finalizers: []string{claimFinalizer}}}
		return r.Create(ctx, p)
	}
	if err != nil {
		return err
	}
	if controllerutil.AddFinalizer(p, claimFinalizer) { // want `hygiene: while another finalizer keeps a deleted PersistentVolumeClaim`
		return r.Update(ctx, p)
	}
	if !p.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(p, claimFinalizer)
		return r.Update(ctx, p)
	}
	return nil
}

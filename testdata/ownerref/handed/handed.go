// Package handed has others set its references.
package handed

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/handed/own"
)

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

// Reconcile imports what the functions of the other package call.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var b v1.Backup
	if err := r.Get(ctx, req.NamespacedName, &b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return ctrl.Result{}, r.elsewhere(ctx, &b, req.NamespacedName)
}

// The error of a function of another package.
func (r *reconciler) elsewhere(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	_ = own.Set(b, &secret, r.scheme) // want `leak: if SetControllerReference fails \(another controller may own it\), the Secret outlives its owner .*\(ownerref/error-ignored\)`
	return r.Update(ctx, &secret)
}

// The error of a literal.
func (r *reconciler) literal(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	set := func() error { return controllerutil.SetControllerReference(b, &secret, r.scheme) }
	_ = set() // want `the Secret outlives its owner .*\(ownerref/error-ignored\)`
	return r.Update(ctx, &secret)
}

// The function drops it, and only its callers know that the object was read.
func (r *reconciler) tries(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	own.Try(b, &secret, r.scheme) // want `the Secret outlives its owner .*\(ownerref/error-ignored\)`
	return r.Update(ctx, &secret)
}

// The function asks first whether there is another controller.
func (r *reconciler) adopts(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	own.Adopt(b, &secret, r.scheme)
	return r.Update(ctx, &secret)
}

// So does this one.
func (r *reconciler) asksFirst(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	if metav1.GetControllerOf(&secret) == nil {
		_ = controllerutil.SetControllerReference(b, &secret, r.scheme)
	}
	return r.Update(ctx, &secret)
}

// It is handled.
func (r *reconciler) handled(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	if err := own.Set(b, &secret, r.scheme); err != nil {
		return err
	}
	return r.Update(ctx, &secret)
}

// Nobody else owns what is made here.
func (r *reconciler) made(ctx context.Context, b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	own.Try(b, secret, r.scheme)
	return r.Create(ctx, secret)
}

// The literal's error is returned.
func (r *reconciler) literalHandled(ctx context.Context, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := r.Get(ctx, key, &secret); err != nil {
		return err
	}
	set := func() error { return controllerutil.SetControllerReference(b, &secret, r.scheme) }
	if err := set(); err != nil {
		return err
	}
	return r.Update(ctx, &secret)
}

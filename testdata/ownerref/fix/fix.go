// Package fix drops errors that are easy to return.
package fix

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func statement(ctx context.Context, c client.Client, b *v1.Backup, key client.ObjectKey) error {
	var secret corev1.Secret
	if err := c.Get(ctx, key, &secret); err != nil {
		return err
	}
	controllerutil.SetControllerReference(b, &secret, c.Scheme()) // want `error-ignored`
	return c.Update(ctx, &secret)
}

func blank(ctx context.Context, c client.Client, b *v1.Backup, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, key, secret); err != nil {
		return nil, err
	}
	_ = controllerutil.SetOwnerReference(b, secret, c.Scheme()) // want `error-ignored`
	return secret, c.Update(ctx, secret)
}

func mutate(ctx context.Context, c client.Client, b *v1.Backup, secret *corev1.Secret) {
	_, _ = controllerutil.CreateOrUpdate(ctx, c, secret, func() error {
		controllerutil.SetControllerReference(b, secret, c.Scheme()) // want `error-ignored`
		return nil
	})
}

func noFix(ctx context.Context, c client.Client, b *v1.Backup, key client.ObjectKey) (reconcile.Result, error) {
	var secret corev1.Secret
	if err := c.Get(ctx, key, &secret); err != nil {
		return reconcile.Result{}, err
	}
	controllerutil.SetControllerReference(b, &secret, c.Scheme()) // want `error-ignored`
	return reconcile.Result{}, c.Update(ctx, &secret)
}

// Package lib has helpers that reconcilers of other packages call.
package lib

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Ensure forgets why it has failed.
func Ensure(ctx context.Context, c client.Client, b *v1.Backup) (bool, error) {
	if b.Spec.Paused {
		return false, nil
	}
	return create(ctx, c, b)
}

func create(ctx context.Context, c client.Client, b *v1.Backup) (bool, error) {
	if err := c.Create(ctx, b); err != nil {
		return true, nil
	}
	return true, nil
}

// Answer makes success of everything.
func Answer(ctx context.Context, err error) (ctrl.Result, error) {
	if err != nil {
		log.FromContext(ctx).Error(err, "failed")
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, nil
}

// Known makes success of what cannot be mended.
func Known(ctx context.Context, err error) (ctrl.Result, error) {
	if apierrors.IsInvalid(err) {
		log.FromContext(ctx).Error(err, "failed")
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, err
}

// Delete says so if it has failed.
func Delete(ctx context.Context, c client.Client, b *v1.Backup) error {
	if err := c.Delete(ctx, b); err != nil {
		return fmt.Errorf("delete %s: %w", b.Name, client.IgnoreNotFound(err))
	}
	return nil
}

// Release says why it is content with a failure.
func Release(ctx context.Context, c client.Client, b *v1.Backup) error {
	if err := c.Update(ctx, b); err != nil {
		// The answer of old servers, once the object is gone.
		if b.DeletionTimestamp != nil {
			return nil
		}
		return err
	}
	return nil
}

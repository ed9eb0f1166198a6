// Package controllers adds finalizers; the removal of one of them is in
// another package.
package controllers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/never/app/api"
)

// Ensure adds the finalizers.
func Ensure(ctx context.Context, c client.Client, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.AddFinalizer(b, api.Forgotten)
	controllerutil.AddFinalizer(b, api.Removed)
	return c.Update(ctx, b)
}

// Package unknown removes finalizers whose names cannot be told, so that no
// finalizer is known not to be removed.
package unknown

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const prefix = "example.opvet.dev/"

type reconciler struct{ client.Client }

func (r *reconciler) add(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.AddFinalizer(b, prefix+"backup")
	return r.Update(ctx, b)
}

func (r *reconciler) remove(ctx context.Context, b *v1.Backup, kind string) error {
	controllerutil.RemoveFinalizer(b, prefix+kind)
	return r.Update(ctx, b)
}

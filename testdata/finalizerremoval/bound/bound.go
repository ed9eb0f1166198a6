// Package bound gives its objects the field that their finalizer depends on.
package bound

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const boundFinalizer = "example.opvet.dev/bound"

type reconciler struct{ client.Client }

func (r *reconciler) bind(ctx context.Context, b *v1.Backup, replicas int32) error {
	if !b.DeletionTimestamp.IsZero() {
		return r.unbind(ctx, b)
	}
	b.Spec.Replicas = &replicas
	controllerutil.AddFinalizer(b, boundFinalizer)
	return r.Update(ctx, b)
}

// unbind finds nothing to do for objects that were never bound: they have no finalizer.
func (r *reconciler) unbind(ctx context.Context, b *v1.Backup) error {
	if b.Spec.Replicas == nil {
		return nil
	}
	controllerutil.RemoveFinalizer(b, boundFinalizer)
	return r.Update(ctx, b)
}

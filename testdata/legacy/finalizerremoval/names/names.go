// Package names has the cases that depend on which finalizers the package
// removes elsewhere.
package names

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

const forgotten = "example.opvet.dev/forgotten"

type reconciler struct{ client.Client }

func (r *reconciler) gated(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	if b.Spec.Paused {
		controllerutil.RemoveFinalizer(b, "example.opvet.dev/lock") // want `\(finalizerremoval/gated\)`
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) added(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp != nil {
		return nil
	}
	controllerutil.AddFinalizer(b, forgotten) // want `\(finalizerremoval/never-removed\)`
	return r.Update(ctx, b)
}

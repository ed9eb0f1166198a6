// Package local has the cases of finalizerremoval/never-removed that are
// decided in the package.
package local

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

const (
	forgotten = "example.opvet.dev/forgotten"
	removed   = "example.opvet.dev/removed"
	filtered  = "example.opvet.dev/filtered"
)

var variable = "example.opvet.dev/variable"

type reconciler struct{ client.Client }

func (r *reconciler) add(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		return nil
	}
	controllerutil.AddFinalizer(b, forgotten) // want `each Backup stays Terminating: finalizer "example\.opvet\.dev/forgotten" is added here and never removed.*\(finalizerremoval/never-removed\)`
	controllerutil.AddFinalizer(b, removed)
	b.Finalizers = append(b.Finalizers, filtered)
	b.Finalizers = append(b.Finalizers, variable) // want `local.variable is added.*\(finalizerremoval/never-removed\)`
	r.ensure(b, "example.opvet.dev/literal")      // want `"example.opvet.dev/literal" is added.*\(finalizerremoval/never-removed\)`
	// Kubernetes itself removes this one.
	controllerutil.AddFinalizer(b, "foregroundDeletion")
	// Exported: the program decides.
	controllerutil.AddFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) ensure(b *v1.Backup, finalizer string) {
	controllerutil.AddFinalizer(b, finalizer)
}

func (r *reconciler) remove(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, removed)
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool { return f == filtered })
	return r.Update(ctx, b)
}

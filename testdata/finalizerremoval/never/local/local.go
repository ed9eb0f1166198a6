// Package local has the cases of finalizerremoval/never-removed that are
// decided in the package.
package local

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/finalizerremoval/never/local/lists"
)

const (
	forgotten = "example.opvet.dev/forgotten"
	removed   = "example.opvet.dev/removed"
	filtered  = "example.opvet.dev/filtered"
	dropped   = "example.opvet.dev/dropped"
	asked     = "example.opvet.dev/asked"
	queued    = "uninstall-release"
	queuing   = "queue-release"
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
	// Kubernetes itself removes this one, and Argo CD those.
	controllerutil.AddFinalizer(b, "foregroundDeletion")
	controllerutil.AddFinalizer(b, "resources-finalizer.argocd.argoproj.io")
	controllerutil.AddFinalizer(b, "post-delete-finalizer.argocd.argoproj.io/cleanup")
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

// A function of another package takes one off, and one is only asked for.
func (r *reconciler) drop(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, dropped)
		controllerutil.AddFinalizer(b, asked) // want `"example.opvet.dev/asked" is added here and never removed`
		return r.Update(ctx, b)
	}
	if lists.Has(b, asked) {
		return nil
	}
	lists.Drop(b, dropped)
	return r.Update(ctx, b)
}

// What takes it off is queued, and applied by another package.
func (r *reconciler) queue(ctx context.Context, b *v1.Backup, u *lists.Updater) error {
	if b.DeletionTimestamp.IsZero() {
		controllerutil.AddFinalizer(b, queued)
		controllerutil.AddFinalizer(b, queuing) // want `"queue-release" is added here and never removed`
		return r.Update(ctx, b)
	}
	if controllerutil.ContainsFinalizer(b, queuing) {
		u.Queue(lists.Remover(queued))
	}
	u.Apply(b)
	return r.Update(ctx, b)
}

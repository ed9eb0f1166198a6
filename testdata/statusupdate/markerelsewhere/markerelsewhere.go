// Package markerelsewhere writes the status of a kind that lacks the marker
// and is declared in another package.
package markerelsewhere

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) first(ctx context.Context, m *v1.Mirror) error {
	m.Status.Synced = true
	return r.Status().Update(ctx, m) // want `this write always fails with 404 NotFound: Mirror \(\S+\) has no status subresource; use Update, as \S*markerelsewhere\.go:\d+ does \(statusupdate/subresource-marker\)`
}

// One finding for a kind is enough.
func (r *reconciler) second(ctx context.Context, m *v1.Mirror) error {
	base := m.DeepCopy()
	m.Status.Synced = false
	return r.Status().Patch(ctx, m, client.MergeFrom(base))
}

// As long as the marker is missing, this is what stores the status.
func (r *reconciler) plainUpdate(ctx context.Context, m *v1.Mirror) error {
	m.Status.Synced = true
	return r.Update(ctx, m)
}

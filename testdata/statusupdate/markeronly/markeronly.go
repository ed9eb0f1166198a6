// Package markeronly writes the status of a kind that lacks the marker by the subresource only.
package markeronly

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

func (r *reconciler) write(ctx context.Context, m *v1.Mirror) error {
	m.Status.Synced = true
	return r.Status().Update(ctx, m) // want `Mirror \(\S+\) lacks \+kubebuilder:subresource:status; add the marker to the type \(statusupdate/subresource-marker\)`
}

// label writes no status.
func (r *reconciler) label(ctx context.Context, m *v1.Mirror) error {
	m.Labels = map[string]string{"a": "b"}
	return r.Update(ctx, m)
}

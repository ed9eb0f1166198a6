// Package writer writes the status of an unknown kind.
package writer

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Open opens an archive.
func Open(ctx context.Context, c client.Client, a *v1.Archive) error {
	a.Status.Phase = "Open"
	return c.Status().Update(ctx, a)
}

// Package imported imports the package that proves that an unknown kind has
// the status subresource.
package imported

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/unknown/writer"
)

func open(ctx context.Context, c client.Client, a *v1.Archive) error {
	return writer.Open(ctx, c, a)
}

func seal(ctx context.Context, c client.Client, a *v1.Archive) error {
	a.Status.Phase = "Sealed"
	return c.Update(ctx, a) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

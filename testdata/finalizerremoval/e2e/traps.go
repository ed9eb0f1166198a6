// Package e2e empties what end-to-end tests leave behind: nobody else's
// clean-up matters there.
package e2e

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Sweep is for a cluster that is thrown away afterwards.
func Sweep(ctx context.Context, c client.Client, b *v1.Backup) error {
	b.SetFinalizers(nil)
	return c.Update(ctx, b)
}

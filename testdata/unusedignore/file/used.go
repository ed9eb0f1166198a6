//lint:file-ignore statusupdate the clusters of these tests have no subresource

// Package file has comments that are about files.
package file

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func update(ctx context.Context, c client.Client, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return c.Update(ctx, b)
}

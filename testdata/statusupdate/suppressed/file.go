//lint:file-ignore statusupdate this file talks to an old API server

package suppressed

import (
	"context"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) inAnIgnoredFile(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

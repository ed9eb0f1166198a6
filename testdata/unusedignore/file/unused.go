//lint:file-ignore statusupdate,handlergoroutine for now // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused` `^hygiene: this comment hides the next mistake here, since handlergoroutine finds nothing now.*unusedignore/unused`

package file

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func updateStatus(ctx context.Context, c client.Client, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return c.Status().Update(ctx, b)
}

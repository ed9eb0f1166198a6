package right

import (
	"context"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type fresher struct{ client.Client }

// What is being deleted needs no status any more.
func (r *fresher) status(ctx context.Context, b *v1.Backup, status v1.BackupStatus) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b.Status = status
		failed := r.Status().Update(ctx, b)
		if failed == nil {
			return nil
		}
		if err := r.Get(ctx, client.ObjectKeyFromObject(b), b); err == nil {
			if b.DeletionTimestamp != nil {
				return nil
			}
			if !b.GetDeletionTimestamp().IsZero() {
				return nil
			}
		}
		return failed
	})
}

var _ = (*fresher).status

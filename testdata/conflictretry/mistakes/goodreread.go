package mistakes

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// It gives up after a good read, too.
func givesUpAnyway(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := c.Update(ctx, b) // want `if Update conflicts, the write of \*v1.Backup is lost: line 25 returns nil after reading again`
		if apierrors.IsConflict(err) {
			fresh := &v1.Backup{}
			if readErr := c.Get(ctx, client.ObjectKeyFromObject(b), fresh); readErr != nil {
				fmt.Println("cannot read", b.Name, readErr)
				return nil
			}
			b.ResourceVersion = fresh.ResourceVersion
			return nil
		}
		return err
	})
}

// The read is not asked whether it has failed.
func doesNotAsk(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := c.Update(ctx, b) // want `is lost: line .* returns nil after reading again`
		if apierrors.IsConflict(err) {
			_ = c.Get(ctx, client.ObjectKeyFromObject(b), b)
			return nil
		}
		return err
	})
}

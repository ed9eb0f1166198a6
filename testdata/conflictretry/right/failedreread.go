package right

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The conflict is retried, unless the object cannot be read any more.
func givesUpIfItCannotRead(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := c.Update(ctx, b)
		if apierrors.IsConflict(err) {
			fresh := &v1.Backup{}
			if readErr := c.Get(ctx, client.ObjectKeyFromObject(b), fresh); readErr != nil {
				fmt.Println("cannot read", b.Name, readErr)
				return nil
			}
			b.ResourceVersion = fresh.ResourceVersion
		}
		return err
	})
}

// The same by variables.
func givesUpByVariable(ctx context.Context, c client.Client, b *v1.Backup) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		if err = c.Status().Update(ctx, b); !apierrors.IsConflict(err) {
			return err
		}
		readErr := c.Get(ctx, client.ObjectKeyFromObject(b), b)
		if readErr == nil {
			return err
		}
		err = nil
		return err
	})
}

// Package fix has the cases of the suggested fixes.
package fix

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func update(ctx context.Context, c client.Client, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := c.Get(ctx, key, b); err != nil {
			return err
		}
		b.Spec.Paused = true
		if err := c.Update(ctx, b); err != nil {
			return fmt.Errorf("pause %s: %v", b.Name, err) // want `\(conflictretry/cannot-fire\)`
		}
		b.Status.Message = "paused"
		if err := c.Status().Update(ctx, b); err != nil {
			return fmt.Errorf("%s: status of %q", err, b.Name) // want `\(conflictretry/cannot-fire\)`
		}
		return nil
	})
}

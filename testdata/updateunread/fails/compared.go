package fails

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type equality func(a, b *v1.Backup) bool

// Whoever compares the two gives neither a version.
func applyCompared(ctx context.Context, c client.Client, desired *v1.Backup, equal equality) error {
	var existing v1.Backup
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), &existing); apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	if equal(desired, &existing) {
		return nil
	}
	return c.Update(ctx, desired) // want `this update always fails: a new Backup has no resourceVersion`
}

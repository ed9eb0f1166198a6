package right

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// What merges the two may take the version over.
func applyMergedBy(ctx context.Context, c client.Client, desired *v1.Backup, merge func(into, from *v1.Backup)) error {
	var existing v1.Backup
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), &existing); apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	merge(desired, &existing)
	return c.Update(ctx, desired)
}

// So may what decides by more than the two.
func applyDecided(ctx context.Context, c client.Client, desired *v1.Backup, adopt func(context.Context, *v1.Backup, *v1.Backup) bool) error {
	var existing v1.Backup
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), &existing); apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	if !adopt(ctx, desired, &existing) {
		return nil
	}
	return c.Update(ctx, desired)
}

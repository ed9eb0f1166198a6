package fails

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
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

// The same by helpers for objects of any kind, which tell of what kind it is.
func applyHelped(ctx context.Context, c client.Client, desired *v1.Backup, equal equality) error {
	var existing v1.Backup
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), &existing); err != nil && apierrors.IsNotFound(err) {
		return createAny(ctx, c, desired)
	} else if err != nil {
		return err
	}
	if equal(desired, &existing) {
		return nil
	}
	return updateAny(ctx, c, desired)
}

func createAny(ctx context.Context, c client.Client, object client.Object) error {
	klog.Info("creating ", object.GetName(), object.GetObjectKind().GroupVersionKind().Kind)
	return c.Create(ctx, object)
}

func updateAny(ctx context.Context, c client.Client, object client.Object) error {
	klog.Info("updating ", object.GetName(), object.GetObjectKind())
	return c.Update(ctx, object) // want `this update always fails: a new Backup has no resourceVersion`
}

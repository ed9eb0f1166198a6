package mistakes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// What was read is only created if it has gone meanwhile.
func updateOrCreate(ctx context.Context, c client.Client, key client.ObjectKey, data map[string]string) error {
	var config corev1.ConfigMap
	if err := c.Get(ctx, key, &config); err != nil {
		return err
	}
	config.Data = data
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := c.Update(ctx, &config) // want `one conflict fails all attempts`
		if apierrors.IsNotFound(err) {
			return c.Create(ctx, &config)
		}
		return err
	})
}

// Whether it is there is told by the object itself.
func createOrUpdate(ctx context.Context, c client.Client, config *corev1.ConfigMap) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if config.ResourceVersion == "" {
			return c.Create(ctx, config)
		}
		return c.Update(ctx, config) // want `one conflict fails all attempts`
	})
}

var _, _ = updateOrCreate, createOrUpdate

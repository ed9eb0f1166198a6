// Package fix has the fixes.
package fix

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func both(ctx context.Context, c client.Client, key types.NamespacedName, more []string) error {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, key, secret); err != nil {
		return err
	}
	secret.Labels["a"] = "b" // want `first Secret without labels`
	for _, name := range more {
		// Each of them.
		secret.Annotations[name] = "b" // want `first Secret without annotations`
	}
	return c.Update(ctx, secret)
}

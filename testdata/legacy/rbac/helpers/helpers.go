// Package helpers writes objects of any kind.
package helpers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Ensure does not know the kind; its callers do.
func Ensure(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Create(ctx, obj)
}

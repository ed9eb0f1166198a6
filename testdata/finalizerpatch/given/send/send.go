// Package send sends patches that it is given.
package send

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Merge sends a merge patch.
func Merge(ctx context.Context, c client.Client, object client.Object, data []byte) error {
	return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, data))
}

// JSON sends a JSON patch.
func JSON(ctx context.Context, c client.Client, object client.Object, data []byte) error {
	return c.Patch(ctx, object, client.RawPatch(types.JSONPatchType, data))
}

// Status sends a merge patch of the status.
func Status(ctx context.Context, c client.Client, object client.Object, data []byte) error {
	return c.Status().Patch(ctx, object, client.RawPatch(types.MergePatchType, data))
}

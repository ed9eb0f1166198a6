// Package helpers sends patches.
package helpers

import (
	"context"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Patch sends what has changed.
func Patch(ctx context.Context, c client.Client, before, after client.Object) error {
	return c.Patch(ctx, after, client.MergeFrom(before))
}

// PatchLocked sends what has changed if nobody else has changed the object.
func PatchLocked(ctx context.Context, c client.Client, before, after client.Object) error {
	return c.Patch(ctx, after, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// Send sends a patch.
func Send(ctx context.Context, c client.Client, obj client.Object, patch client.Patch) error {
	return c.Patch(ctx, obj, patch)
}

// Transform sends what change does to an object.
func Transform(ctx context.Context, c client.Client, obj client.Object, change func()) error {
	before := obj.DeepCopyObject().(client.Object)
	change()
	return c.Patch(ctx, obj, client.MergeFrom(before))
}

// TransformCopy sends what change does to a copy, if that is anything.
func TransformCopy(ctx context.Context, c client.Client, obj client.Object, change func(client.Object) bool) error {
	changed := obj.DeepCopyObject().(client.Object)
	if !change(changed) {
		return nil
	}
	return c.Patch(ctx, changed, client.MergeFrom(obj))
}

// TransformLocked sends what change does to an object if nobody else has changed
// it.
func TransformLocked(ctx context.Context, c client.Client, obj client.Object, change func()) error {
	before := obj.DeepCopyObject().(client.Object)
	change()
	return c.Patch(ctx, obj, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// Difference is what a merge patch has to say.
func Difference(before, after any) ([]byte, error) {
	old, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	changed, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return difference(old, changed)
}

func difference(old, changed []byte) ([]byte, error) { return jsonpatch.CreateMergePatch(old, changed) }

// Access has a client for another cluster, which asks its API server each time.
type Access struct{ live client.Client }

// Client is for that cluster.
func (a *Access) Client() client.Client { return a.live }

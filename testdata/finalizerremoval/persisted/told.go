package persisted

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// A helper tells by a variable whether it has taken anything off.
func (r *reconciler) updatedIfTold(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	found := false
	takeOff(b, &found)
	if !found {
		return nil
	}
	return r.Update(ctx, b)
}

// What it tells is heard, and not heeded.
func (r *reconciler) toldInVain(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	found := false
	takeOff(b, &found) // want `\(finalizerremoval/not-persisted\)`
	if found {
		return nil
	}
	return r.Update(ctx, b)
}

func takeOff(b *v1.Backup, found *bool) {
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool {
		if f == v1.Finalizer {
			*found = true
			return true
		}
		return false
	})
}

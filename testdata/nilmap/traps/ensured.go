package traps

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opvet/opvet/testdata/nilmap/read/lib"
)

// A helper makes the map.
func (r *reconciler) ensured(ctx context.Context, key types.NamespacedName) error {
	rc := &corev1.ReplicationController{}
	if err := r.Get(ctx, key, rc); err != nil {
		return err
	}
	ensureAnnotations(rc)
	rc.Annotations["a"] = "b"
	return r.Update(ctx, rc)
}

func ensureAnnotations(rc *corev1.ReplicationController) {
	if rc.Annotations == nil {
		rc.Annotations = map[string]string{}
	}
}

// One of another package does, and one that this hands the object on to.
func (r *reconciler) ensuredElsewhere(ctx context.Context, key types.NamespacedName) error {
	rc := &corev1.ReplicationController{}
	if err := r.Get(ctx, key, rc); err != nil {
		return err
	}
	lib.EnsureAll(&rc.ObjectMeta)
	rc.Annotations["a"] = "b"
	rc.Labels["a"] = "b"
	return r.Update(ctx, rc)
}

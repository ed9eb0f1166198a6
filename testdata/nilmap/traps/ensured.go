package traps

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// What is listed by labels has some.
func (r *reconciler) selected(ctx context.Context, selector labels.Selector) error {
	var list corev1.ReplicationControllerList
	if err := r.List(ctx, &list, client.HasLabels{"app"}); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Labels["read"] = "true"
	}
	if err := r.List(ctx, &list, &client.ListOptions{LabelSelector: selector}); err != nil {
		return err
	}
	for i := range list.Items {
		list.Items[i].Labels["read"] = "true"
	}
	return nil
}

// Package filled makes objects with the maps that it later adds to.
package filled

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func newConfig(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "backup"}},
		Data:       map[string]string{"version": "1"},
	}
}

// Such objects have been made here; somebody may have emptied one since.
func extend(ctx context.Context, c client.Client, key types.NamespacedName, more map[string]string) error {
	config := &corev1.ConfigMap{}
	if err := c.Get(ctx, key, config); err != nil {
		return err
	}
	config.Labels["more"] = "true" // want `first ConfigMap without labels`
	config.Data["more"] = "true"   // want `first ConfigMap without data`
	for k, v := range more {
		config.Annotations[k] = v // want `first ConfigMap without annotations`
	}
	return c.Update(ctx, config)
}

// Of what kind the object is, only callers know.
func annotate(ctx context.Context, c client.Client, key types.NamespacedName, obj client.Object) error {
	if err := c.Get(ctx, key, obj); err != nil {
		return err
	}
	annotations := obj.GetAnnotations()
	annotations["a"] = "b" // want `first object without annotations`
	obj.SetAnnotations(annotations)
	return c.Update(ctx, obj)
}

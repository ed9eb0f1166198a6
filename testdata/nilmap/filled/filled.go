// Package filled makes objects with the maps that it later adds to.
package filled

import (
	"context"
	"maps"

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

// All entries of another map, by a loop, by the library, and by a helper: if that is
// empty, nothing is stored.
func copyAll(ctx context.Context, c client.Client, key types.NamespacedName, more map[string]string) error {
	var service corev1.Service
	if err := c.Get(ctx, key, &service); err != nil {
		return err
	}
	for k, v := range more {
		service.Labels[k] = v // want `first Service without labels`
	}
	maps.Copy(service.Annotations, more) // want `first Service without annotations`
	return c.Update(ctx, &service)
}

func merged(ctx context.Context, c client.Client, key types.NamespacedName, more map[string]string) error {
	var account corev1.ServiceAccount
	if err := c.Get(ctx, key, &account); err != nil {
		return err
	}
	mergeInto(account.Annotations, more)
	return c.Update(ctx, &account)
}

func mergeInto(target, more map[string]string) {
	for k, v := range more {
		target[k] = v // want `first ServiceAccount without annotations`
	}
}

// A Secret that is there has data as a rule.
func store(ctx context.Context, c client.Client, key types.NamespacedName, token []byte) error {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, key, secret); err != nil {
		return err
	}
	secret.Data["token"] = token // want `first Secret without data`
	return c.Update(ctx, secret)
}

// Of what kind it is, the type does not say.
func partial(ctx context.Context, c client.Client, key types.NamespacedName) error {
	node := &metav1.PartialObjectMetadata{}
	node.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Node"))
	if err := c.Get(ctx, key, node); err != nil {
		return err
	}
	base := node.DeepCopy()
	node.Annotations["capacity"] = "1" // want `without annotations`
	return c.Patch(ctx, node, client.MergeFrom(base))
}

// One of those that have annotations as a rule may have none.
func repaired(ctx context.Context, c client.Client, key types.NamespacedName) error {
	node := &corev1.Node{}
	if err := c.Get(ctx, key, node); err != nil {
		return err
	}
	node.Annotations["repaired"] = "true" // want `first Node without annotations`
	return c.Update(ctx, node)
}

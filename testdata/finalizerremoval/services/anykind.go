package services

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Objects of any kind, also Services, are written over the stored ones.
func applyAny(ctx context.Context, c client.Client, desired, current client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), current); err != nil {
		return err
	}
	desired.SetResourceVersion(current.GetResourceVersion())
	return c.Update(ctx, desired) // want `hygiene: other controllers lose their finalizers on the object: a new one overwrites it \(resource version from line \d+\); change the stored one \(finalizerremoval/strips-foreign\)`
}

func applyDynamic(ctx context.Context, c dynamic.Interface, resource schema.GroupVersionResource, desired *unstructured.Unstructured) error {
	current, err := c.Resource(resource).Namespace(desired.GetNamespace()).Get(ctx, desired.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	desired.SetLabels(current.GetLabels())
	desired.SetResourceVersion(current.GetResourceVersion())
	_, err = c.Resource(resource).Namespace(desired.GetNamespace()).Update(ctx, desired, metav1.UpdateOptions{}) // want `hygiene: other controllers lose their finalizers on the object`
	return err
}

// Traps: the finalizers are taken over.
func applyKept(ctx context.Context, c client.Client, desired, current client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), current); err != nil {
		return err
	}
	desired.SetFinalizers(current.GetFinalizers())
	desired.SetResourceVersion(current.GetResourceVersion())
	return c.Update(ctx, desired)
}

// What is written is a copy of what was read.
func applyCopy(ctx context.Context, c client.Client, current client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(current), current); err != nil {
		return err
	}
	changed := current.DeepCopyObject().(client.Object)
	changed.SetLabels(map[string]string{"seen": "true"})
	changed.SetResourceVersion(current.GetResourceVersion())
	return c.Update(ctx, changed)
}

// The object is patched, which leaves out what it does not have.
func applyPatch(ctx context.Context, c client.Client, desired, current client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), current); err != nil {
		return err
	}
	desired.SetResourceVersion(current.GetResourceVersion())
	return c.Patch(ctx, desired, client.Merge)
}

// The status alone is written.
func statusAny(ctx context.Context, c client.Client, desired, current client.Object) error {
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), current); err != nil {
		return err
	}
	desired.SetResourceVersion(current.GetResourceVersion())
	return c.Status().Update(ctx, desired)
}

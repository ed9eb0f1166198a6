// Package helpers has what controllers keep in packages of their own.
package helpers

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Ensure adds the finalizer of a kind, whatever the state of the object.
func Ensure(ctx context.Context, c client.Client, obj client.Object) (bool, error) {
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return false, err
	}
	name := fmt.Sprintf("%s.example.opvet.dev", strings.ToLower(obj.GetObjectKind().GroupVersionKind().Kind))
	for _, f := range accessor.GetFinalizers() {
		if f == name {
			return false, nil
		}
	}
	accessor.SetFinalizers(append(accessor.GetFinalizers(), name))
	return true, c.Update(ctx, obj)
}

// EnsureLive adds the finalizer unless the object is being deleted.
func EnsureLive(ctx context.Context, c client.Client, obj client.Object) error {
	if !obj.GetDeletionTimestamp().IsZero() || !controllerutil.AddFinalizer(obj, v1.Finalizer) {
		return nil
	}
	return c.Update(ctx, obj)
}

// EnsureCopy adds the finalizer to a copy, which it stores.
func EnsureCopy(ctx context.Context, c client.Client, b *v1.Backup) error {
	updated := b.DeepCopy()
	if !controllerutil.AddFinalizer(updated, v1.Finalizer) {
		return nil
	}
	return c.Update(ctx, updated)
}

// Add adds a finalizer in memory.
func Add(obj client.Object, name string) { controllerutil.AddFinalizer(obj, name) }

// Release cleans up and takes the finalizer off an object that is being
// deleted, and does nothing for others.
func Release(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.GetDeletionTimestamp() == nil {
		return nil
	}
	if controllerutil.RemoveFinalizer(b, v1.Finalizer) {
		return c.Update(ctx, b)
	}
	return nil
}

// IsDeleted tells whether an object is being deleted.
func IsDeleted(obj client.Object) bool { return !obj.GetDeletionTimestamp().IsZero() }

// Change reads a backup, lets change have it, and stores it if that says so.
func Change(ctx context.Context, c client.Client, key client.ObjectKey, change func(*v1.Backup) bool) error {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return err
	}
	if !change(b) {
		return nil
	}
	return c.Update(ctx, b)
}

// Fetch reads a backup.
func Fetch(ctx context.Context, c client.Client, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := c.Get(ctx, key, b); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return b, nil
}

// ApplyDiff applies what an object has, if that differs from what is there.
func ApplyDiff(ctx context.Context, c client.Client, obj client.Object) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	current := obj.DeepCopyObject().(client.Object)
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), current); err != nil {
		return err
	}
	if reflect.DeepEqual(obj.GetFinalizers(), current.GetFinalizers()) {
		return nil
	}
	return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content}), client.FieldOwner("opvet"), client.ForceOwnership)
}

// Package created sends as an update what it would have created if there were none.
package created

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Apply is handed an object that callers elsewhere have put together.
func Apply(ctx context.Context, c client.Client, desired *v1.Backup) error {
	existing := &v1.Backup{}
	err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		return c.Create(ctx, desired)
	} else if err != nil {
		return err
	}
	return c.Update(ctx, desired) // want `this update always fails: a new Backup has no resourceVersion`
}

// CreateOrReplace tries to create it first.
func CreateOrReplace(ctx context.Context, c client.Client, desired *v1.Backup) error {
	if err := c.Create(ctx, desired); err != nil {
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		return c.Update(ctx, desired) // want `this update always fails: a new Backup has no resourceVersion`
	}
	return nil
}

// Helpers create and update it.
func Sync(ctx context.Context, c client.Client, desired *v1.Backup) error {
	existing := &v1.Backup{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing); err != nil {
		if apierrors.IsNotFound(err) {
			return create(ctx, c, desired)
		}
		return err
	}
	return update(ctx, c, desired)
}

func create(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Create(ctx, backup)
}

func update(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Update(ctx, backup) // want `this update always fails: a new Backup has no resourceVersion`
}

// ApplyAny is for objects of any kind.
func ApplyAny(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	_, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{}) // want `this update of a custom resource always fails: a new object has no resourceVersion`
	return err
}

// ApplyUnlessThere takes any error for a missing object.
func ApplyUnlessThere(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	if _, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{}); err != nil {
		_, err := resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	}
	_, err := resources.Update(ctx, obj, metav1.UpdateOptions{}) // want `this update of a custom resource always fails`
	return err
}

type applier struct{ client.Client }

func (a *applier) all(ctx context.Context, backup *v1.Backup, config *corev1.ConfigMap) error {
	if err := a.apply(ctx, config); err != nil {
		return err
	}
	return a.apply(ctx, backup)
}

// apply is handed a kind that refuses such updates, too.
func (a *applier) apply(ctx context.Context, obj client.Object) error {
	err := a.Create(ctx, obj)
	if apierrors.IsAlreadyExists(err) {
		return a.Update(ctx, obj) // want `this update always fails: a new Backup has no resourceVersion`
	}
	return err
}

// ApplyLabelled takes over something else through the maps of the content.
func ApplyLabelled(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	obj.Object["metadata"].(map[string]any)["uid"] = found.GetUID()
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{}) // want `this update of a custom resource always fails`
	return err
}

// ApplyMerged takes over all but the version.
func ApplyMerged(ctx context.Context, resources dynamic.ResourceInterface, obj *unstructured.Unstructured) error {
	found, err := resources.Get(ctx, obj.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = resources.Create(ctx, obj, metav1.CreateOptions{})
		return err
	} else if err != nil {
		return err
	}
	merge(found, obj)
	_, err = resources.Update(ctx, obj, metav1.UpdateOptions{}) // want `this update of a custom resource always fails: a new object has no resourceVersion`
	return err
}

func merge(found, wanted *unstructured.Unstructured) {
	wanted.SetLabels(found.GetLabels())
	wanted.SetAnnotations(found.GetAnnotations())
}

// restored makes the object anew and writes its status, which Create drops: that fails where
// somebody else has made it.
func restored(ctx context.Context, c client.Client, backup *v1.Backup) error {
	backup.SetResourceVersion("")
	status := backup.Status
	if err := c.Create(ctx, backup); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	backup.Status = status
	return c.Status().Update(ctx, backup) // want `^hygiene: this update fails if the Backup exists already: only what Create has made gets a resourceVersion; read the object first`
}

// refreshed has a backup of that name as it shall be, it says.
func refreshed(ctx context.Context, c client.Client, name, source string) error {
	backup := &v1.Backup{ObjectMeta: metav1.ObjectMeta{Name: name}}
	backup.Spec.Source = source
	if err := c.Create(ctx, backup); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return c.Update(ctx, backup) // want `^loss: this update fails if the Backup exists already: only what Create has made gets a resourceVersion; read the object first`
}

// rebuilt goes on where the creation has failed, for whatever reason: so does the update.
func rebuilt(ctx context.Context, c client.Client, lost *v1.Backup) {
	backup := &v1.Backup{}
	backup.Name = lost.Name
	backup.Spec = lost.Spec
	if err := c.Create(ctx, backup); err != nil {
		ctrl.Log.Error(err, "not created")
	}
	backup.Status = lost.Status
	if err := c.Status().Update(ctx, backup); err != nil { // want `^hygiene: this update fails if the Backup exists already`
		ctrl.Log.Error(err, "no status")
	}
}

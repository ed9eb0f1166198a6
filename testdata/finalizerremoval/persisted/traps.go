package persisted

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func (r *reconciler) updated(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) updatedIfChanged(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	if controllerutil.RemoveFinalizer(b, v1.Finalizer) {
		return r.Update(ctx, b)
	}
	return nil
}

// The literal notes that there is something to store.
func (r *reconciler) updatedIfFound(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	found := false
	b.Finalizers = slices.DeleteFunc(b.Finalizers, func(f string) bool {
		if f == v1.Finalizer {
			found = true
			return true
		}
		return false
	})
	if !found {
		return nil
	}
	return r.Update(ctx, b)
}

func (r *reconciler) patched(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Patch(ctx, b, client.MergeFrom(before))
}

func (r *reconciler) deferred(ctx context.Context, key client.ObjectKey) (err error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := b.DeepCopy()
	defer func() {
		if patchErr := r.Patch(ctx, b, client.MergeFrom(before)); err == nil {
			err = patchErr
		}
	}()
	if b.Spec.Source == "" {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return nil
	}
	return nil
}

func (r *reconciler) createOrUpdate(ctx context.Context, b *v1.Backup) error {
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, b, func() error {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return nil
	})
	return err
}

func (r *reconciler) onConflict(ctx context.Context, key client.ObjectKey) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		b := &v1.Backup{}
		if err := r.Get(ctx, key, b); err != nil {
			return client.IgnoreNotFound(err)
		}
		remove(b)
		return r.Update(ctx, b)
	})
}

// byCaller is stored by storesIt.
func (r *reconciler) byCaller(ctx context.Context, b *v1.Backup) (bool, error) {
	if err := r.Delete(ctx, &v1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}); client.IgnoreNotFound(err) != nil {
		return false, err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return true, nil
}

func (r *reconciler) storesIt(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	changed, err := r.byCaller(ctx, b)
	if err != nil || !changed {
		return err
	}
	return r.Update(ctx, b)
}

func (r *reconciler) handedBack(ctx context.Context, key client.ObjectKey) (*v1.Backup, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return nil, err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return b, nil
}

func (r *reconciler) typedUpdate(ctx context.Context, namespace, name string) error {
	b, err := r.backups.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	b = b.DeepCopy()
	remove(b)
	_, err = r.backups.ExampleV1().Backups(namespace).Update(ctx, b, metav1.UpdateOptions{})
	return err
}

func (r *reconciler) template(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return err
	}
	b.SetFinalizers(nil)
	b.SetResourceVersion("")
	b.Name += "-copy"
	return r.Create(ctx, b)
}

// Removed is exported: other packages store what they hand in.
func Removed(ctx context.Context, c client.Client, b *v1.Backup) error {
	if err := c.Delete(ctx, &v1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}); client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return nil
}

// The list is written where it differs from the stored one, and after a removal
// it does, whether the status was written before or not.
func (r *reconciler) whereItDiffers(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if !equality.Semantic.DeepEqual(stored.Status, b.Status) {
		if err := r.Status().Update(ctx, b.DeepCopy()); err != nil {
			return err
		}
	}
	if !equality.Semantic.DeepEqual(stored.Finalizers, b.Finalizers) {
		return r.Update(ctx, b)
	}
	return nil
}

func (r *reconciler) whereTheMetadataDiffers(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := b.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if reflect.DeepEqual(before.ObjectMeta, b.ObjectMeta) {
		return nil
	}
	return r.Update(ctx, b)
}

// What the patch of a running one says is worked out from both objects, and it
// is sent by name.
func (r *reconciler) patchedByName(ctx context.Context, stored *v1.Backup) error {
	b := stored.DeepCopy()
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	if stored.Status.Phase != v1.BackupRunning {
		return r.Update(ctx, b)
	}
	changes := difference(stored, b)
	if len(changes.lines) == 0 {
		return nil
	}
	_, err := r.backups.ExampleV1().Backups(stored.Namespace).Patch(ctx, stored.Name, types.MergePatchType, changes.bytes(), metav1.PatchOptions{})
	return err
}

type changes struct{ lines []string }

func (c *changes) bytes() []byte { return []byte(strings.Join(c.lines, ",")) }

func difference(old, updated *v1.Backup) *changes {
	c := &changes{}
	if !slices.Equal(old.Finalizers, updated.Finalizers) {
		c.lines = append(c.lines, "finalizers: ["+strings.Join(updated.Finalizers, ", ")+"]")
	}
	return c
}

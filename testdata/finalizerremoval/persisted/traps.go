package persisted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// Package fix has the cases of the suggested fixes.
package fix

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	exampleclient "github.com/opvet/opvet/testdata/api/client"
	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	backups exampleclient.Interface
}

func (r *reconciler) statusWriter(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	return r.Status().Update(ctx, b)
}

func (r *reconciler) typedClient(ctx context.Context, namespace, name string) error {
	b, err := r.backups.ExampleV1().Backups(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	if _, err := r.backups.ExampleV1().Backups(namespace).UpdateStatus(ctx, b, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return nil
}

// The status has been changed: Update would drop it.
func (r *reconciler) noFix(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	b.Status.Message = "deleted"
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	return r.Status().Update(ctx, b)
}

func (r *reconciler) deletion(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}); err != nil { // want `\(finalizerremoval/notfound-stuck\)`
		return err
	}
	if err := r.deleteService(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteService(ctx context.Context, b *v1.Backup) error {
	return r.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}) // want `\(finalizerremoval/notfound-stuck\)`
}

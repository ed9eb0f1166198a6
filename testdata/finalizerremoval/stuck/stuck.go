// Package stuck has the cases of finalizerremoval/notfound-stuck: what is gone
// already keeps the finalizer on.
package stuck

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
}

func (r *reconciler) byName(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	if err := r.Delete(ctx, claim); err != nil { // want `if Delete returns NotFound, the finalizer never comes off and the Backup stays Terminating.*\(finalizerremoval/notfound-stuck\)`
		return fmt.Errorf("delete the claim: %w", err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) byTypedClient(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.kube.CoreV1().Secrets(b.Namespace).Delete(ctx, b.Name, metav1.DeleteOptions{}); err != nil { // want `\(finalizerremoval/notfound-stuck\)`
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) inAHelper(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.deleteClaim(ctx, b.Namespace, b.Name); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteClaim(ctx context.Context, namespace, name string) error {
	claim := &corev1.PersistentVolumeClaim{}
	err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, claim) // want `if Get returns NotFound, the finalizer never comes off and the Backup stays Terminating.*\(finalizerremoval/notfound-stuck\)`
	if err != nil {
		return fmt.Errorf("get the claim: %w", err)
	}
	return r.Delete(ctx, claim)
}

func (r *reconciler) keptInTheList(ctx context.Context, b *v1.Backup) {
	if b.DeletionTimestamp == nil {
		return
	}
	var kept []string
	for _, f := range b.GetFinalizers() {
		switch f {
		case v1.Finalizer:
			if err := r.deleteSecret(ctx, b); err != nil {
				kept = append(kept, f)
			}
		default:
			kept = append(kept, f)
		}
	}
	b.SetFinalizers(kept)
	_ = r.Update(ctx, b)
}

func (r *reconciler) deleteSecret(ctx context.Context, b *v1.Backup) error {
	return r.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}) // want `\(finalizerremoval/notfound-stuck\)`
}

// What follows is right.

func (r *reconciler) ignored(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := client.IgnoreNotFound(r.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name}})); err != nil {
		return err
	}
	if err := r.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) ignoredByTheCaller(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.deleteService(ctx, b); client.IgnoreNotFound(err) != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteService(ctx context.Context, b *v1.Backup) error {
	return r.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: b.Name}})
}

func (r *reconciler) listedBefore(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(b.Namespace)); err != nil {
		return err
	}
	for i := range pods.Items {
		if err := r.Delete(ctx, &pods.Items[i]); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) foundBefore(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), claim); err != nil {
		if !apierrors.IsNotFound(err) {
			return err
		}
	} else if err := r.Delete(ctx, claim); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) aSelection(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(b.Namespace)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// What is deleted is a copy of what was read: the next try does not find it any more.
func (r *reconciler) aCopyOfWhatIsThere(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.deleteCopy(ctx, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteCopy(ctx context.Context, b *v1.Backup) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Name}, secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	secret = secret.DeepCopy()
	return r.Delete(ctx, secret)
}

// Credentials are needed: without them it cannot be told whether the data is gone, but it waits forever.
func (r *reconciler) needsCredentials(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil { // want `notfound-stuck`
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) onALiveObject(ctx context.Context, b *v1.Backup) error {
	if !b.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return r.Update(ctx, b)
	}
	return r.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name}})
}

func (r *reconciler) hasConfig(ctx context.Context, key client.ObjectKey) bool {
	return r.Get(ctx, key, &corev1.ConfigMap{}) == nil
}

// A config map that goes away meanwhile is not found by the next try, which goes on.
func (r *reconciler) whereOneIs(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	key := client.ObjectKeyFromObject(b)
	if r.hasConfig(ctx, key) {
		config := &corev1.ConfigMap{}
		if err := r.Get(ctx, key, config); err != nil {
			return err
		}
		if err := r.Delete(ctx, config); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// The question is of something else.
func (r *reconciler) whereAnotherIs(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	key := client.ObjectKeyFromObject(b)
	if r.hasConfig(ctx, key) {
		secret := &corev1.Secret{}
		if err := r.Get(ctx, key, secret); err != nil { // want `\(finalizerremoval/notfound-stuck\)`
			return err
		}
		if err := r.Delete(ctx, secret); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// Here the question is asked where the helper is called.
func (r *reconciler) whereOneIsByHelper(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	key := client.ObjectKeyFromObject(b)
	if r.hasConfig(ctx, key) {
		if err := r.deleteConfig(ctx, key); err != nil {
			return err
		}
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) deleteConfig(ctx context.Context, key client.ObjectKey) error {
	config := &corev1.ConfigMap{}
	if err := r.Get(ctx, key, config); err != nil {
		return err
	}
	return r.Delete(ctx, config)
}

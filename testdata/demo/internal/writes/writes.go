// Package writes keeps what a Cache is served with up to date.
package writes

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

// Reconciler keeps the settings of a Cache.
type Reconciler struct{ client.Client }

// Renew comes back when a backup is due again.
func (r *Reconciler) Renew(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var backup v1alpha1.CacheBackup
	if err := r.Get(ctx, req.NamespacedName, &backup); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	due := backup.CreationTimestamp.Add(24 * time.Hour)
	return ctrl.Result{RequeueAfter: time.Until(due)}, nil
}

// Settings writes the settings that the servers read.
func (r *Reconciler) Settings(ctx context.Context, cache *v1alpha1.Cache) error {
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace},
		Data:       map[string]string{"version": cache.Spec.Version},
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, config, func() error { return nil }); err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	return nil
}

// Export gives the servers an address.
func (r *Reconciler) Export(ctx context.Context, cache *v1alpha1.Cache) error {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"cache": cache.Name, "version": cache.Spec.Version}},
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		return controllerutil.SetControllerReference(cache, service, r.Scheme())
	})
	if err != nil {
		return fmt.Errorf("writing the service: %w", err)
	}
	return nil
}

// Cancel stops the job of a backup.
func (r *Reconciler) Cancel(ctx context.Context, job *batchv1.Job) error {
	if err := r.Delete(ctx, job); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting the job: %w", err)
	}
	return nil
}

// Mark notes the version that a Cache had before.
func (r *Reconciler) Mark(ctx context.Context, key client.ObjectKey) error {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, key, &cache); err != nil {
		return fmt.Errorf("reading the cache: %w", err)
	}
	base := cache.DeepCopy()
	metav1.SetMetaDataAnnotation(&cache.ObjectMeta, v1alpha1.PreviousVersionAnnotation, cache.Spec.Version)
	if err := r.Patch(ctx, &cache, client.MergeFrom(base)); err != nil {
		return fmt.Errorf("marking the cache: %w", err)
	}
	return nil
}

// Credentials puts a new password into the secret of a Cache.
func (r *Reconciler) Credentials(ctx context.Context, key client.ObjectKey, password []byte) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		secret.Data["password"] = password
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the credentials: %w", err)
	}
	return nil
}

// Restore makes the backup that a Cache is restored from, or brings it up to date.
func (r *Reconciler) Restore(ctx context.Context, cache *v1alpha1.Cache) error {
	backup := &v1alpha1.CacheBackup{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace},
		Spec:       v1alpha1.CacheBackupSpec{Cache: cache.Name},
	}
	err := r.Create(ctx, backup)
	if apierrors.IsAlreadyExists(err) {
		err = r.Update(ctx, backup)
	}
	if err != nil {
		return fmt.Errorf("writing the backup: %w", err)
	}
	return nil
}

// Reconcile keeps up to date what a Cache is served with.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.Settings(ctx, &cache); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Export(ctx, &cache)
}

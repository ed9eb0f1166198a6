// Package finalizerremoval has cases of finalizerremoval for the libraries
// before generics.
package finalizerremoval

import (
	"context"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

type reconciler struct {
	client.Client
	kube kubernetes.Interface
	log  logr.Logger
}

func (r *reconciler) deleteData(ctx context.Context, b *v1.Backup) error {
	return client.IgnoreNotFound(r.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}))
}

func (r *reconciler) logged(ctx context.Context, b *v1.Backup) error {
	if err := r.deleteData(ctx, b); err != nil { // want `\(finalizerremoval/cleanup-ignored\)`
		r.log.Error(err, "cannot delete the data")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) statusOnly(ctx context.Context, key client.ObjectKey) error {
	b := &v1.Backup{}
	if err := r.Get(ctx, key, b); err != nil {
		return client.IgnoreNotFound(err)
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/not-persisted\)`
	return r.Status().Update(ctx, b)
}

func (r *reconciler) anyError(ctx context.Context, b *v1.Backup) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil {
		if b.DeletionTimestamp != nil {
			controllerutil.RemoveFinalizer(b, v1.Finalizer) // want `\(finalizerremoval/wrong-branch\)`
			return r.Update(ctx, b)
		}
		return err
	}
	return nil
}

func (r *reconciler) skipped(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil { // want `\(finalizerremoval/skipped-path\)`
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp != nil {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

func (r *reconciler) rawPatchFirst(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`))
	if err := r.Patch(ctx, b, patch); err != nil { // want `\(finalizerremoval/before-cleanup\)` `\(finalizerremoval/strips-foreign\)`
		return err
	}
	return r.deleteData(ctx, b)
}

func (r *reconciler) stuck(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp == nil {
		return nil
	}
	if err := r.kube.CoreV1().Services(b.Namespace).Delete(ctx, b.Name, metav1.DeleteOptions{}); err != nil { // want `\(finalizerremoval/notfound-stuck\)`
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

func (r *reconciler) rebuilt(ctx context.Context, stored, built *corev1.Service) error {
	built.ResourceVersion = stored.ResourceVersion
	_, err := r.kube.CoreV1().Services(built.Namespace).Update(ctx, built, metav1.UpdateOptions{}) // want `\(finalizerremoval/strips-foreign\)`
	return err
}

// What follows is right.

func (r *reconciler) done(ctx context.Context, b *v1.Backup) (ctrl.Result, error) {
	if b.DeletionTimestamp == nil {
		return ctrl.Result{}, nil
	}
	secret := &corev1.Secret{}
	if err := r.Get(ctx, client.ObjectKey{Name: b.Spec.Source}, secret); err != nil {
		if !apierrors.IsNotFound(err) {
			return ctrl.Result{}, err
		}
	} else if err := r.Delete(ctx, secret); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.deleteData(ctx, b); err != nil {
		return ctrl.Result{}, err
	}
	if controllerutil.RemoveFinalizer(b, v1.Finalizer) {
		return ctrl.Result{}, r.Update(ctx, b)
	}
	return ctrl.Result{}, nil
}

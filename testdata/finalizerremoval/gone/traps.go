package gone

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func secretOf(b *v1.Backup) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}}
}

func (r *reconciler) release(ctx context.Context, b *v1.Backup) error {
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return r.Update(ctx, b)
}

// Asked for first, by another object than the one that is deleted.
func (r *reconciler) askedFor(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	var found corev1.Secret
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), &found); apierrors.IsNotFound(err) {
		return r.release(ctx, b)
	} else if err != nil {
		return err
	}
	if err := r.Client.Delete(ctx, secretOf(b)); err != nil {
		return err
	}
	return r.release(ctx, b)
}

// Asked for by the caller.
type asking struct{ reconciler }

func (r *asking) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	b := &v1.Backup{}
	if err := r.Get(ctx, req.NamespacedName, b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if b.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	var services corev1.ServiceList
	if err := r.List(ctx, &services, client.InNamespace(b.Namespace)); err != nil {
		return ctrl.Result{}, err
	}
	if len(services.Items) > 0 {
		if err := r.deleteService(ctx, b); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, r.release(ctx, b)
}

func (r *asking) deleteService(ctx context.Context, b *v1.Backup) error {
	return r.Client.Delete(ctx, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: b.Name}})
}

// Somebody who can ask says that it is there.
func (r *reconciler) toldSo(ctx context.Context, b *v1.Backup, exists func(context.Context, string) bool) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if exists(ctx, b.Name) {
		if err := r.Client.Delete(ctx, secretOf(b)); err != nil {
			return err
		}
	}
	return r.release(ctx, b)
}

// The status tells what is left to do.
func (r *reconciler) noted(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if b.Status.Phase == v1.BackupRunning {
		if err := r.Client.Delete(ctx, secretOf(b)); err != nil {
			return err
		}
		b.Status.Phase = v1.BackupPending
		if err := r.Status().Update(ctx, b); err != nil {
			return err
		}
	}
	return r.release(ctx, b)
}

// NotFound is asked for further up.
func (r *reconciler) toleratedAbove(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.deleteSecret(ctx, b); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return r.release(ctx, b)
}

func (r *reconciler) deleteSecret(ctx context.Context, b *v1.Backup) error {
	if err := r.Client.Delete(ctx, secretOf(b)); err != nil {
		return fmt.Errorf("delete the secret: %w", err)
	}
	return nil
}

// tolerant is a client that takes what is gone for deleted.
type tolerant struct{ client.Client }

func (c tolerant) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	return client.IgnoreNotFound(c.Client.Delete(ctx, obj, opts...))
}

func byTolerant(ctx context.Context, c tolerant, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := c.Delete(ctx, secretOf(b)); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

func (r *reconciler) allOf(ctx context.Context, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(b.Namespace)); err != nil {
		return err
	}
	var endpoints corev1.EndpointsList
	if err := r.List(ctx, &endpoints, client.InNamespace(b.Namespace)); err != nil {
		return err
	}
	for i := range endpoints.Items {
		if err := r.Client.Delete(ctx, &endpoints.Items[i]); err != nil {
			return err
		}
	}
	return r.release(ctx, b)
}

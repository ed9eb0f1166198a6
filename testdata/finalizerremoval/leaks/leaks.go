// Package leaks has clean-ups whose failure surely leaves something behind.
package leaks

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func claimOf(b *v1.Backup, i int) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: fmt.Sprintf("%s-%d", b.Name, i)}}
}

func logged(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() || !controllerutil.ContainsFinalizer(b, v1.Finalizer) {
		return nil
	}
	if err := client.IgnoreNotFound(c.Delete(ctx, claimOf(b, 0))); err != nil { // want `^leak: Delete's error is ignored and line \d+ removes the finalizer: if it fails, the PersistentVolumeClaim leaks; return it unless it is NotFound \(finalizerremoval/cleanup-ignored\)`
		log.FromContext(ctx).Error(err, "cannot delete the claim")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

func byHelper(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := deleteClaims(ctx, c, b); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// deleteClaims returns an error that is never set: the loop has one of its own.
func deleteClaims(ctx context.Context, c client.Client, b *v1.Backup) error {
	var err error
	for i := range len(b.Status.Targets) {
		if err := c.Delete(ctx, claimOf(b, i)); err != nil && !apierrors.IsNotFound(err) { // want `^leak: Delete's error is swallowed and line \d+ removes the finalizer: if it fails, the PersistentVolumeClaim leaks; return it unless it is NotFound \(finalizerremoval/cleanup-ignored\)`
			log.FromContext(ctx).Error(err, "cannot delete a claim")
		}
	}
	return err
}

func deferred(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return nil
	}
	defer func() {
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		if err := c.Update(ctx, b); err != nil {
			log.FromContext(ctx).Error(err, "cannot store the finalizers")
		}
	}()
	if err := deleteRole(ctx, c, b); err != nil { // want `^leak: the deferred removal on line \d+ runs also if deleteRole fails: then the role leaks; remove the finalizer only after success \(finalizerremoval/cleanup-ignored\)`
		return err
	}
	return nil
}

func deleteRole(ctx context.Context, c client.Client, b *v1.Backup) error {
	return client.IgnoreNotFound(c.Delete(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}))
}

// ensureToken makes a Secret in the operator's namespace, without an owner.
func ensureToken(ctx context.Context, c client.Client, b *v1.Backup) error {
	return c.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "operator", Name: b.Name}})
}

func token(ctx context.Context, c client.Client, b *v1.Backup) error {
	if b.DeletionTimestamp.IsZero() {
		return ensureToken(ctx, c, b)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "operator", Name: b.Name}}
	if err := c.Delete(ctx, secret); err != nil && !apierrors.IsNotFound(err) { // want `^leak: Delete's error is ignored and line \d+ removes the finalizer: if it fails, the Secret leaks; return it unless it is NotFound \(finalizerremoval/cleanup-ignored\)`
		log.FromContext(ctx).Error(err, "cannot delete the token")
	}
	controllerutil.RemoveFinalizer(b, v1.Finalizer)
	return c.Update(ctx, b)
}

// topics is a client of something outside.
type topics interface {
	Get(name string) (*string, error)
	DeleteTopic(name string) error
}

func outside(ctx context.Context, c client.Client, b *v1.Backup, dial func(context.Context) (topics, error)) error {
	remote, err := dial(ctx)
	if err != nil {
		return err
	}
	if !b.DeletionTimestamp.IsZero() {
		if err := deleteTopic(ctx, remote, b); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(b, v1.Finalizer)
		return c.Update(ctx, b)
	}
	return nil
}

// deleteTopic fails if the other side does not answer, but not if it does not delete.
func deleteTopic(ctx context.Context, remote topics, b *v1.Backup) error {
	found, err := remote.Get(b.Name)
	if err != nil {
		return err
	}
	if found != nil {
		if err := remote.DeleteTopic(b.Name); err != nil { // want `^leak: DeleteTopic's error is swallowed and line \d+ removes the finalizer: if it fails, the topic leaks; return it unless it is NotFound \(finalizerremoval/cleanup-ignored\)`
			log.FromContext(ctx).Error(err, "cannot delete the topic")
			return nil
		}
	}
	return nil
}

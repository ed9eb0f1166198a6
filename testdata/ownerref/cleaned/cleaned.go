// Package cleaned deletes itself what the garbage collector would not.
package cleaned

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
	kube   kubernetes.Interface
	scheme *runtime.Scheme
}

// The reference is to no avail, and harms nobody: the finalizer deletes the role by its name.
func (r *reconciler) role(ctx context.Context, b *v1.Backup) error {
	return r.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{
		Name:            b.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))}, // want `^hygiene: never garbage-collected: .*namespaced-owner`
	}})
}

func (r *reconciler) binding(ctx context.Context, b *v1.Backup) error {
	_, err := r.kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{
		Name:            b.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))}, // want `^hygiene: never garbage-collected: .*namespaced-owner`
	}}, metav1.CreateOptions{})
	return err
}

func (r *reconciler) cleanUp(ctx context.Context, b *v1.Backup) error {
	if err := r.kube.RbacV1().ClusterRoleBindings().Delete(ctx, b.Name, metav1.DeleteOptions{}); err != nil {
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(r.Delete(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}))
}

// Nobody deletes the class.
func (r *reconciler) class(ctx context.Context, b *v1.Backup) error {
	return r.Create(ctx, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{
		Name:            b.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))}, // want `^leak: never garbage-collected: .*namespaced-owner`
	}})
}

// The namespaces of the two are never the same, and so nobody gets there.
func (r *reconciler) sameNamespace(ctx context.Context, b *v1.Backup) error {
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	if b.Namespace == binding.Namespace {
		if err := controllerutil.SetControllerReference(b, binding, r.scheme); err != nil {
			return err
		}
	}
	return r.Create(ctx, binding)
}

// Its one caller has compared the namespaces.
func (r *reconciler) whereTheSame(ctx context.Context, b *v1.Backup, binding *rbacv1.ClusterRoleBinding) error {
	if b.Namespace == binding.Namespace {
		return r.own(b, binding)
	}
	return r.Create(ctx, binding)
}

func (r *reconciler) own(b *v1.Backup, binding *rbacv1.ClusterRoleBinding) error {
	return controllerutil.SetControllerReference(b, binding, r.scheme)
}

// This one's has not.
func (r *reconciler) anywhere(ctx context.Context, b *v1.Backup, binding *rbacv1.ClusterRoleBinding) error {
	if err := r.ownAnywhere(b, binding); err != nil {
		return err
	}
	return r.Create(ctx, binding)
}

func (r *reconciler) ownAnywhere(b *v1.Backup, binding *rbacv1.ClusterRoleBinding) error {
	return controllerutil.SetControllerReference(b, binding, r.scheme) // want `^hygiene: never garbage-collected: .*namespaced-owner`
}

// The volume is deleted as an object of one of two kinds.
func (r *reconciler) volume(ctx context.Context, b *v1.Backup) error {
	return r.Create(ctx, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name:            b.Name,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))}, // want `^hygiene: never garbage-collected: .*namespaced-owner`
	}})
}

func (r *reconciler) deleteVolume(ctx context.Context, b *v1.Backup, bound bool) error {
	var chosen client.Object
	if bound {
		chosen = new(corev1.PersistentVolume)
	} else {
		chosen = new(corev1.PersistentVolumeClaim)
	}
	if err := r.Get(ctx, client.ObjectKeyFromObject(b), chosen); err != nil {
		return client.IgnoreNotFound(err)
	}
	return r.Delete(ctx, chosen)
}

// Package lib has helpers that make owner references of what they get.
package lib

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/api"
)

// OwnerRef makes a reference to an object.
func OwnerRef(obj runtime.Object, scheme *runtime.Scheme) (metav1.OwnerReference, error) {
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return metav1.OwnerReference{}, err
	}
	return metav1.OwnerReference{
		APIVersion: gvk.GroupVersion().String(),
		Kind:       gvk.Kind,
		Name:       accessor.GetName(),
		UID:        accessor.GetUID(),
	}, nil
}

// Meta makes metadata for what belongs to a backup.
func Meta(name string, backup *v1.Backup) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      name,
		Namespace: backup.Namespace,
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: v1.GroupVersion.String(),
			Kind:       "Backup",
			Name:       backup.Name,
			UID:        backup.UID,
		}},
	}
}

// Own makes one object the controller of another.
func Own(owner, object client.Object, scheme *runtime.Scheme) error {
	return controllerutil.SetControllerReference(owner, object, scheme)
}

// OwnNearby is Own that leaves objects in other namespaces alone.
func OwnNearby(owner, object client.Object, scheme *runtime.Scheme) error {
	if owner.GetNamespace() != object.GetNamespace() {
		return nil
	}
	return Own(owner, object, scheme)
}

// LookupStore reads a store.
func LookupStore(ctx context.Context, c client.Reader, name, namespace string) (store *api.Store, err error) {
	store = &api.Store{}
	err = c.Get(ctx, types.NamespacedName{Name: name, Namespace: namespace}, store)
	return
}

// NewSecret makes a secret where the operator keeps its own.
func NewSecret(name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "operator-system"}}
}

// NewSecretIn makes a secret in a namespace.
func NewSecretIn(name, namespace string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Name = name
	secret.Namespace = namespace
	return secret
}

// NewSecretFor makes a secret where a store wants it.
func NewSecretFor(store *api.Store) *corev1.Secret {
	return NewSecretIn(store.Name, store.Spec.SecretNamespace)
}

// NewSecretNextTo makes a secret next to a store.
func NewSecretNextTo(store *api.Store) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: store.Name, Namespace: store.Namespace}}
}

// Package strict has the cases of the strict flag.
package strict

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/lib"
)

const certManager = "cert-manager"

var configured = "backups" // by a flag

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
}

// beside is where the package says that backups have namespaces.
func beside(b *v1.Backup) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
}

// What is in a namespace that is fixed or configured, with an owner that may be kept
// there as well.

func (r *reconciler) fixedNamespace(b *v1.Backup) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: certManager}}
	err := controllerutil.SetControllerReference(b, secret, r.scheme) // want `stuck: SetControllerReference fails across namespaces: this Secret is in namespace "cert-manager", the Backup in any; use a finalizer of the Backup \(ownerref/cross-namespace\)`
	return secret, err
}

func (r *reconciler) configuredNamespace(b *v1.Backup) error {
	secret := &corev1.Secret{}
	secret.SetName(b.Name)
	secret.SetNamespace(configured)
	return controllerutil.SetOwnerReference(b, secret, r.scheme) // want `this Secret is in namespace configured`
}

func overwrittenNamespace(b *v1.Backup) *corev1.ConfigMap {
	meta := lib.Meta("config", b)
	meta.Namespace = configured
	return &corev1.ConfigMap{ObjectMeta: meta} // want `loss: the garbage collector deletes it across namespaces`
}

func (r *reconciler) readThere(ctx context.Context, b *v1.Backup) error {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, types.NamespacedName{Name: b.Name, Namespace: certManager}, secret); err != nil {
		return err
	}
	if err := controllerutil.SetControllerReference(b, secret, r.scheme); err != nil { // want `ownerref/cross-namespace`
		return err
	}
	return r.Update(ctx, secret)
}

func (r *reconciler) madeElsewhere(b *v1.Backup) error {
	secret := lib.NewSecret(b.Name)
	return controllerutil.SetControllerReference(b, secret, r.scheme) // want `this Secret is in namespace "operator-system"`
}

func (r *reconciler) madeInAFixedNamespace(b *v1.Backup) error {
	secret := lib.NewSecretIn(b.Name, configured)
	return controllerutil.SetControllerReference(b, secret, r.scheme) // want `this Secret is in namespace configured`
}

// Package strict drops errors that are not likely.
package strict

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

func ownObject(b *v1.Backup, scheme *runtime.Scheme) *corev1.Secret {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	controllerutil.SetControllerReference(b, secret, scheme) // want `other namespace, unknown kind`
	return secret
}

func parameter(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) {
	_ = controllerutil.SetControllerReference(b, secret, scheme) // want `ownerref/error-ignored`
}

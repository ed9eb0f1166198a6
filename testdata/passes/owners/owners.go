// Package owners has functions that make objects owners of others. Each says
// which, and where the namespaces come from that it knows of.
package owners

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/ownerref/lib"
)

var configured = "cert-manager"

// want Backup owns Secret: controller, checked
func controller(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) error {
	return ctrl.SetControllerReference(b, secret, scheme)
}

// want Backup owns Secret: checked
func owner(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) error {
	return controllerutil.SetOwnerReference(b, secret, scheme)
}

// want unknown owns unknown: controller, checked
func interfaces(a, b client.Object, scheme *runtime.Scheme) error {
	return controllerutil.SetControllerReference(a, b, scheme)
}

// want Backup owns Secret: controller, checked
func throughOwnHelper(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) error {
	return interfaces(b, secret, scheme)
}

// want Backup owns Secret: controller, checked
func throughHelper(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) error {
	return lib.Own(b, secret, scheme)
}

func throughHelperThatCompares(b *v1.Backup, secret *corev1.Secret, scheme *runtime.Scheme) error {
	return lib.OwnNearby(b, secret, scheme)
}

// want Backup owns Secret:
func literal(b *v1.Backup, secret *corev1.Secret) {
	secret.OwnerReferences = []metav1.OwnerReference{{Name: b.Name, UID: b.UID}}
}

// want Backup owns Secret:
func appended(b *v1.Backup, secret *corev1.Secret) {
	ref := metav1.NewControllerRef(b, v1.GroupVersion.WithKind("Backup"))
	secret.SetOwnerReferences(append(secret.GetOwnerReferences(), *ref))
}

// want Backup owns Secret:
// want Claim owns Secret:
func several(b *v1.Backup, c *v1.Claim, secret *corev1.Secret) {
	secret.OwnerReferences = []metav1.OwnerReference{{UID: b.UID}, {UID: c.GetUID()}}
}

// want Backup owns ConfigMap: in configured
func metadataOfAHelper(b *v1.Backup) *corev1.ConfigMap {
	meta := lib.Meta("config", b)
	meta.Namespace = configured
	return &corev1.ConfigMap{ObjectMeta: meta}
}

// want Backup owns ConfigMap: in "fixed"
func literalNamespace(b *v1.Backup) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace:       "fixed",
		OwnerReferences: []metav1.OwnerReference{{UID: b.UID}},
	}}
}

// want Backup owns Secret: in its own
func ownNamespace(b *v1.Backup, secret *corev1.Secret) {
	secret.Namespace = b.Namespace
	secret.OwnerReferences = []metav1.OwnerReference{{UID: b.UID}}
}

// want Backup owns Secret: controller, checked, in "fixed"
func readThere(ctx context.Context, c client.Client, b *v1.Backup) error {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, types.NamespacedName{Name: b.Name, Namespace: "fixed"}, secret); err != nil {
		return err
	}
	return controllerutil.SetControllerReference(b, secret, c.Scheme())
}

func copied(from, to *corev1.Secret) { to.OwnerReferences = from.OwnerReferences }

func emptied(secret *corev1.Secret) { secret.SetOwnerReferences(nil) }

func unknown(secret *corev1.Secret, refs map[string]metav1.OwnerReference) {
	secret.OwnerReferences = []metav1.OwnerReference{refs[secret.Name]}
}

// Package ownerref makes objects owners of others, with the libraries of the
// time before generics.
package ownerref

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

// certManager is set by a flag.
var certManager = "cert-manager"

type reconciler struct {
	client.Client
	reconcile.Reconciler
	scheme *runtime.Scheme
}

func (r *reconciler) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.Pod{}).
		Watches(&source.Kind{Type: &corev1.Service{}}, &handler.EnqueueRequestForOwner{OwnerType: &v1.Backup{}}).
		Complete(r)
}

func watch(c controller.Controller) error {
	err := c.Watch(&source.Kind{Type: &corev1.ConfigMap{}}, &handler.EnqueueRequestForOwner{OwnerType: &v1.Schedule{}, IsController: true})
	if err != nil {
		return err
	}
	return c.Watch(&source.Kind{Type: &corev1.Secret{}}, &handler.EnqueueRequestForOwner{OwnerType: &v1.Schedule{}})
}

func (r *reconciler) watchedByHand(s *v1.Schedule, config *corev1.ConfigMap) error {
	return controllerutil.SetOwnerReference(s, config, r.scheme) // want `no event of the ConfigMap reaches the controller`
}

func (r *reconciler) everyOwner(s *v1.Schedule, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(s, secret, r.scheme)
}

func (r *reconciler) clusterScoped(b *v1.Backup) error {
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}
	return ctrl.SetControllerReference(b, role, r.scheme) // want `ownerref/namespaced-owner`
}

func byHand(b *v1.Backup, volume *corev1.PersistentVolume) {
	volume.OwnerReferences = append(volume.OwnerReferences, metav1.OwnerReference{Kind: "Backup", Name: b.Name, UID: b.UID}) // want `ownerref/namespaced-owner`
}

// elsewhere may be where all backups are kept.
func (r *reconciler) elsewhere(b *v1.Backup) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: b.Name + "." + b.Namespace, Namespace: certManager}}
	return controllerutil.SetControllerReference(b, secret, r.scheme)
}

func (r *reconciler) sameNamespace(b *v1.Backup) error {
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.Name, Namespace: b.Namespace}}
	return controllerutil.SetControllerReference(b, config, r.scheme)
}

func (r *reconciler) notController(b *v1.Backup, pod *corev1.Pod) error {
	return controllerutil.SetOwnerReference(b, pod, r.scheme) // want `no event of the Pod reaches the controller: Owns`
}

func (r *reconciler) watchedService(b *v1.Backup, service *corev1.Service) error {
	return controllerutil.SetOwnerReference(b, service, r.scheme)
}

// Package setups has controllers that hear of what they own, or do not.
package setups

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	reconcile.Reconciler
	scheme *runtime.Scheme
}

func (r *reconciler) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Backup{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.Pod{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.ConfigMap{}, builder.MatchEveryOwner).
		Owns(&corev1.Service{}).
		Owns(&corev1.ServiceAccount{}).
		Watches(&corev1.ServiceAccount{}, handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &v1.Backup{})).
		Complete(r)
}

func (r *reconciler) setupByHand(mgr ctrl.Manager, c controller.Controller) error {
	onlyController := handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &v1.Claim{}, handler.OnlyControllerOwner())
	everyOwner := handler.EnqueueRequestForOwner(mgr.GetScheme(), mgr.GetRESTMapper(), &v1.Claim{})
	if err := c.Watch(source.Kind[client.Object](mgr.GetCache(), &corev1.Endpoints{}, onlyController)); err != nil {
		return err
	}
	return c.Watch(source.Kind[client.Object](mgr.GetCache(), &corev1.ConfigMap{}, everyOwner))
}

type scheduler reconciler

// The mistakes.

func (r *reconciler) watchedByHand(c *v1.Claim, endpoints *corev1.Endpoints) error {
	return controllerutil.SetOwnerReference(c, endpoints, r.scheme) // want `no event of the Endpoints reaches the controller: the watch \(setups.go:\d+\) asks for a controller; use SetControllerReference \(`
}

func (r *reconciler) secret(b *v1.Backup, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(b, secret, r.scheme) // want `no event of the Secret and 1 more kind \(3 places\) reaches the controller: Owns asks for a controller; use SetControllerReference or MatchEveryOwner \(ownerref/not-controller\)`
}

// One change of the setup mends these, too.
func (r *reconciler) withPredicates(b *v1.Backup, pod *corev1.Pod) error {
	return controllerutil.SetOwnerReference(b, pod, r.scheme)
}

func (r *reconciler) anotherSecret(b *v1.Backup, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(b, secret, r.scheme)
}

func (r *reconciler) silenced(b *v1.Backup, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(b, secret, r.scheme) //nolint:ownerref // another one makes up for it
}

// What is right.

func (r *reconciler) everyOwner(b *v1.Backup, config *corev1.ConfigMap) error {
	return controllerutil.SetOwnerReference(b, config, r.scheme)
}

func (r *reconciler) watched(b *v1.Backup, account *corev1.ServiceAccount) error {
	return controllerutil.SetOwnerReference(b, account, r.scheme)
}

func (r *reconciler) notOwned(b *v1.Backup, endpoints *corev1.PersistentVolumeClaim) error {
	return controllerutil.SetOwnerReference(b, endpoints, r.scheme)
}

func (r *reconciler) everyOwnerByHand(c *v1.Claim, config *corev1.ConfigMap) error {
	return controllerutil.SetOwnerReference(c, config, r.scheme)
}

// Some are controlled, others only deleted together.
func (r *reconciler) controlled(b *v1.Backup, service, shared *corev1.Service) error {
	if err := controllerutil.SetOwnerReference(b, shared, r.scheme); err != nil {
		return err
	}
	return controllerutil.SetControllerReference(b, service, r.scheme)
}

func (r *scheduler) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1.Schedule{}).
		Owns(&corev1.Secret{}).
		Owns(&corev1.Pod{}). //nolint:ownerref // polled
		Owns(&corev1.Service{}).
		Complete(r)
}

// A comment at the place of the finding is about all of its controller.
func (r *scheduler) secret(s *v1.Schedule, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(s, secret, r.scheme) //nolint:ownerref // all are polled
}

func (r *scheduler) pod(s *v1.Schedule, pod *corev1.Pod) error {
	return controllerutil.SetOwnerReference(s, pod, r.scheme)
}

func (r *scheduler) service(s *v1.Schedule, service *corev1.Service) error {
	return controllerutil.SetOwnerReference(s, service, r.scheme)
}

// Another kind owns it.
func (r *reconciler) otherOwner(c *v1.Claim, secret *corev1.Secret) error {
	return controllerutil.SetOwnerReference(c, secret, r.scheme)
}

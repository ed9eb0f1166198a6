// Package filters has small controllers that hear of no more than they need.
package filters

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/demo/api/v1alpha1"
)

const (
	pausedAnnotation = "cache.demo.opvet.dev/paused"
	versionLabel     = "cache.demo.opvet.dev/version"
)

// +kubebuilder:rbac:groups="",resources=namespaces;nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create
// +kubebuilder:rbac:groups=batch,resources=cronjobs,verbs=get;list;watch;create

// SetupWithManager registers the controllers of this package.
func SetupWithManager(mgr ctrl.Manager) error {
	return errors.Join(
		(&Pins{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&Readiness{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&Services{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&Nodes{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&Schedules{Client: mgr.GetClient()}).SetupWithManager(mgr),
		(&Sightings{Client: mgr.GetClient(), Seen: make(map[client.ObjectKey]int64)}).SetupWithManager(mgr),
		(&Conditions{Client: mgr.GetClient()}).SetupWithManager(mgr),
	)
}

// Pins gives Caches the version that their namespace asks for.
type Pins struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Pins) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("pins").
		For(&v1alpha1.Cache{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.cachesIn)).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		Complete(r)
}

func (r *Pins) cachesIn(ctx context.Context, namespace client.Object) []reconcile.Request {
	var caches v1alpha1.CacheList
	if err := r.List(ctx, &caches, client.InNamespace(namespace.GetName())); err != nil {
		return nil
	}
	requests := make([]reconcile.Request, 0, len(caches.Items))
	for i := range caches.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&caches.Items[i])})
	}
	return requests
}

// Reconcile sets the version of one Cache.
func (r *Pins) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var namespace corev1.Namespace
	if err := r.Get(ctx, client.ObjectKey{Name: req.Namespace}, &namespace); err != nil {
		return ctrl.Result{}, err
	}
	version := namespace.Labels[versionLabel]
	if version == "" || version == cache.Spec.Version {
		return ctrl.Result{}, nil
	}
	cache.Spec.Version = version
	return ctrl.Result{}, r.Update(ctx, &cache)
}

// Readiness records how many servers are ready.
type Readiness struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Readiness) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("ready").
		For(&v1alpha1.Cache{}).
		Owns(&appsv1.StatefulSet{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}

// Reconcile waits until there are servers.
func (r *Readiness) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var servers appsv1.StatefulSet
	if err := r.Get(ctx, req.NamespacedName, &servers); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if servers.Status.ReadyReplicas == 0 {
		return ctrl.Result{}, nil
	}
	cache.Status.ReadyReplicas = servers.Status.ReadyReplicas
	return ctrl.Result{}, r.Status().Update(ctx, &cache)
}

// Services makes the Services of Caches that are not paused.
type Services struct {
	client.Client
}

// SetupWithManager registers the controller.
func (r *Services) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("service").
		For(&v1alpha1.Cache{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&corev1.Service{}).
		WithEventFilter(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }}).
		Complete(r)
}

// Reconcile makes the Service of one Cache.
func (r *Services) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cache v1alpha1.Cache
	if err := r.Get(ctx, req.NamespacedName, &cache); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cache.Annotations[pausedAnnotation] == "true" {
		return ctrl.Result{}, nil
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: cache.Name, Namespace: cache.Namespace},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 6379}}},
	}
	if err := controllerutil.SetControllerReference(&cache, service, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Create(ctx, service); err != nil && !apierrors.IsAlreadyExists(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, nil
}

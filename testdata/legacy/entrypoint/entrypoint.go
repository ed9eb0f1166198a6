// Package entrypoint has the kinds of entry points whose API was another one
// before generics.
package entrypoint

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func added(obj interface{})                                          {}              // want "event handler: AddFunc obj"
func created(e event.CreateEvent, q workqueue.RateLimitingInterface) {}              // want "event handler: CreateFunc e"
func keep(e event.DeleteEvent) bool                                  { return true } // want "predicate: DeleteFunc e"
func requestsFor(o client.Object) []reconcile.Request                { return nil }  // want "map function: map function o"

func setup(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: added})
	_ = handler.Funcs{CreateFunc: created}
	_ = predicate.Funcs{DeleteFunc: keep}
	_ = handler.EnqueueRequestsFromMapFunc(requestsFor)
}

type own struct{}

func (own) OnAdd(obj interface{})         {} // want "event handler: OnAdd obj"
func (own) OnUpdate(old, new interface{}) {} // want "event handler: OnUpdate old new"
func (own) OnDelete(obj interface{})      {} // want "event handler: OnDelete obj"

type untyped struct{}

func (untyped) Create(e event.CreateEvent, q workqueue.RateLimitingInterface)   {} // want "event handler: Create e"
func (untyped) Update(e event.UpdateEvent, q workqueue.RateLimitingInterface)   {} // want "event handler: Update e"
func (untyped) Delete(e event.DeleteEvent, q workqueue.RateLimitingInterface)   {} // want "event handler: Delete e"
func (untyped) Generic(e event.GenericEvent, q workqueue.RateLimitingInterface) {} // want "event handler: Generic e"

type reconciler struct {
	queue workqueue.RateLimitingInterface
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) { // want "reconciler: Reconcile"
	return ctrl.Result{}, nil
}

// older is a reconciler from before contexts.
type older struct{}

func (older) Reconcile(req reconcile.Request) (reconcile.Result, error) { // want "reconciler: Reconcile"
	return reconcile.Result{}, nil
}

func (older) Start(stop <-chan struct{}) error { return nil } // want "runnable: Start"

func (r *reconciler) next() bool { // want "workqueue worker: workqueue worker"
	item, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(item)
	r.sync(item.(string))
	return true
}

func (r *reconciler) sync(key string) { reachedByWorker(key) }

func reachedByWorker(key string) {} // want "path: workqueue worker → sync → reachedByWorker"

// pods validates itself, as kinds did.
type pods struct{ corev1.Pod }

func (p *pods) Default() {} // want "admission handler: Default"

// Package handlers has functions that get cached objects because of where
// they are registered.
package handlers

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type controller struct{ seen map[string]bool }

// Mistakes.

// defaulted fills in what the stored object leaves out.
func (c *controller) defaulted(informer cache.SharedIndexInformer, scheme *runtime.Scheme) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
		pod := obj.(*corev1.Pod)
		scheme.Default(pod) // want `writing to pod changes the informer cache's own object, obj, which AddFunc is handed`
	}})
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			pod, ok := obj.(*corev1.Pod)
			if ok {
				pod.Labels = nil // want `writing to pod\.Labels changes the informer cache's own object, obj, which FilterFunc is handed: .*cachemutation/handler-argument`
			}
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: c.added,
			UpdateFunc: func(old, obj any) {
				c.updated(old.(*corev1.Pod), obj.(*corev1.Pod)) // want `updated, which writes to before\.Status\.Message \(handlers/handlers\.go:\d+\), changes the informer cache's own object, old, which UpdateFunc is handed: .*; hand it a DeepCopy`
			},
			DeleteFunc: func(obj any) {
				pod, ok := obj.(*corev1.Pod)
				if !ok {
					tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
					if !ok {
						return
					}
					if pod, ok = tombstone.Obj.(*corev1.Pod); !ok {
						return
					}
				}
				pod.Status.Phase = corev1.PodFailed // it has left the cache
			},
		},
	})
}

func (c *controller) added(obj any) {
	pod := obj.(*corev1.Pod)
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{} // want `obj, which AddFunc is handed`
	}
	c.seen[pod.Name] = true
}

func (c *controller) updated(before, after *corev1.Pod) {
	before.Status.Message = ""
	delete(after.Labels, "a")
}

type changed struct{ predicate.Funcs }

func (changed) Update(e event.UpdateEvent) bool {
	e.ObjectOld.SetResourceVersion("") // want `writing to e\.ObjectOld changes`
	return true
}

func setup(b *ctrl.Builder, r reconcile.Reconciler) error {
	return b.For(&corev1.Pod{}).
		WithEventFilter(predicate.NewPredicateFuncs(func(obj client.Object) bool {
			obj.SetManagedFields(nil) // want `cachemutation/handler-argument`
			return true
		})).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(requests)).
		Complete(r)
}

func requests(ctx context.Context, obj client.Object) []reconcile.Request {
	obj.GetLabels()["a"] = "b" // want `obj, which a map function is handed`
	return nil
}

// Right.

func (c *controller) registerCopying(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod).DeepCopy()
			pod.Labels["a"] = "b"
			c.seen[pod.Name] = true
			delete(c.seen, pod.Name)
		},
	})
}

// asserted takes anything, and no informer calls it.
func asserted(obj any) {
	if m, ok := obj.(map[string]any); ok {
		m["a"] = "b"
	}
	obj.(*corev1.Pod).Labels["a"] = "b"
}

type defaulter struct{}

// Default is called with a decoded object.
func (defaulter) Default(ctx context.Context, obj *corev1.Pod) error {
	obj.Labels["a"] = "b"
	return nil
}

type reconciler struct{ client.Client }

// Reconcile gets a copy.
func (r *reconciler) Reconcile(ctx context.Context, pod *corev1.Pod) (reconcile.Result, error) {
	pod.Labels["a"] = "b"
	return reconcile.Result{}, r.Update(ctx, pod)
}

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
		scheme.Default(pod) // want `^hygiene: readers get unsaved changes: pod gets a default in the informer cache \(obj of AddFunc\).*cachemutation/handler-argument`
	}})
}

func (c *controller) register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			pod, ok := obj.(*corev1.Pod)
			if ok {
				pod.Labels = nil // want `^hygiene: readers get unsaved changes: pod\.Labels belongs to the informer cache \(obj of FilterFunc\).*cachemutation/handler-argument`
			}
			return ok
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: c.added,
			UpdateFunc: func(old, obj any) {
				c.updated(old.(*corev1.Pod), obj.(*corev1.Pod)) // want `^crash: crash if the map is read meanwhile: updated deletes from after\.Labels \(line \d+\) of the informer cache's object \(obj of UpdateFunc\).*cachemutation/through-helper`
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
		pod.Annotations = map[string]string{} // want `^hygiene: readers get unsaved changes: pod\.Annotations gets a default in the informer cache \(obj of AddFunc\).*cachemutation/handler-argument`
	}
	c.seen[pod.Name] = true
}

func (c *controller) updated(before, after *corev1.Pod) {
	before.Status.Message = ""
	delete(after.Labels, "a")
}

// newOnly changes the object that has come into the cache, and others share the old one only.
func (c *controller) newOnly(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(old, cur any) {
			before, after := old.(*corev1.Pod), cur.(*corev1.Pod)
			before.Spec.NodeName = "" // want `hygiene: other handlers .* old of UpdateFunc`
			before.ResourceVersion = ""
			delete(before.Labels, "a")
			after.Spec.NodeName = "" // want `crash: .*after\.Labels \(line \d+\) .*cur of UpdateFunc`
			delete(after.Labels, "a")
		},
	})
}

// both hands both objects of the update to one function: one cause.
func (c *controller) both(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(old, cur any) {
			if normalised(old.(*corev1.Pod)).Status.Phase != normalised(cur.(*corev1.Pod)).Status.Phase {
				c.seen["a"] = true
			}
		},
	})
}

func normalised(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Conditions = nil // want `hygiene: .*normalised .*2 places`
	return pod
}

type onUpdate struct{ c *controller }

func (onUpdate) OnAdd(obj any, isInInitialList bool) {}

func (onUpdate) OnUpdate(old, cur any) {
	old.(*corev1.Pod).Status.Reason = "" // want `hygiene: .*old of OnUpdate`
	cur.(*corev1.Pod).Status.Reason = "" // want `hygiene: .*cur of OnUpdate`
}

func (onUpdate) OnDelete(obj any) { obj.(*corev1.Pod).Status.Reason = "" }

// Add registers what has the methods of a handler.
func Add(informer cache.SharedIndexInformer) { _, _ = informer.AddEventHandler(onUpdate{}) }

// Predicates are for the builders of controllers.
var Predicates = []predicate.Predicate{compared{}, changed{}}

type compared struct{ predicate.Funcs }

func (compared) Update(e event.UpdateEvent) bool {
	before, after := e.ObjectOld, e.ObjectNew
	before.SetManagedFields(nil) // want `hygiene: .*e\.ObjectOld of Update`
	after.SetManagedFields(nil)  // want `hygiene: .*e\.ObjectNew of Update`
	e.ObjectNew = after.DeepCopyObject().(client.Object)
	e.ObjectNew.SetGeneration(0) // a copy
	return before.GetGeneration() != after.GetGeneration()
}

func typed() predicate.TypedFuncs[*corev1.Pod] {
	return predicate.TypedFuncs[*corev1.Pod]{
		UpdateFunc: func(e event.TypedUpdateEvent[*corev1.Pod]) bool {
			e.ObjectOld.Status.Reason = "" // want `hygiene: .*e\.ObjectOld of UpdateFunc`
			e.ObjectNew.Labels["a"] = "b"  // want `crash: .*e\.ObjectNew of UpdateFunc`
			return true
		},
		CreateFunc: func(e event.TypedCreateEvent[*corev1.Pod]) bool {
			if e.Object.Spec.NodeName == "" {
				e.Object.Spec.NodeName = "a" // want `hygiene: .*e of CreateFunc`
			}
			e.Object.Kind = "Pod" // the same object
			return true
		},
	}
}

type changed struct{ predicate.Funcs }

func (changed) Update(e event.UpdateEvent) bool {
	e.ObjectOld.SetResourceVersion("") // want `^hygiene: other handlers of the update see the change to e\.ObjectOld of Update, although it has left the cache.*cachemutation/handler-argument`
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
	obj.GetLabels()["a"] = "b" // want `^crash: crash if the map is read meanwhile: obj\.GetLabels\(\)\["a"\] belongs to the informer cache \(obj of a map function\).*cachemutation/handler-argument`
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

// recorder is there for the tests: nothing else makes one.
type recorder struct{ phases []corev1.PodPhase }

var _ cache.ResourceEventHandler = &recorder{}

func newRecorder() *recorder { return &recorder{} }

func (r *recorder) OnAdd(obj any, isInInitialList bool) {
	pod := obj.(*corev1.Pod)
	pod.Labels["seen"] = "true"
	r.phases = append(r.phases, pod.Status.Phase)
}

func (r *recorder) OnUpdate(old, cur any) { cur.(*corev1.Pod).Labels["seen"] = "true" }

func (r *recorder) OnDelete(obj any) {}

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

// labeller has handlers that hand one helper their objects: a copy there mends both.
type labeller struct{}

func (l *labeller) register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: l.onAdd, UpdateFunc: l.onUpdate})
}

func (l *labeller) onAdd(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		l.label(pod, "added")
	}
}

func (l *labeller) onUpdate(_, obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		l.label(pod, "updated")
	}
}

func (l *labeller) label(pod *corev1.Pod, how string) {
	pod.Labels["how"] = how // want `^crash: crash if the map is read meanwhile: label writes to pod\.Labels\["how"\], and 2 places hand it objects`
}

// marker has such a helper, which gets other objects, too: told once, at the first handler.
type marker struct{ kube client.Client }

func (m *marker) register(informer cache.SharedIndexInformer) {
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: m.onAdd, UpdateFunc: m.onUpdate})
}

func (m *marker) onAdd(obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod")) // want `^crash: crash if the map is read meanwhile: mark writes to pod\.Labels\["marked"\]`
		m.mark(pod)
	}
}

func (m *marker) onUpdate(_, obj any) {
	if pod, ok := obj.(*corev1.Pod); ok {
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		m.mark(pod)
	}
}

func (m *marker) create(ctx context.Context) error {
	pod := &corev1.Pod{}
	pod.Labels = map[string]string{}
	m.mark(pod)
	return m.kube.Create(ctx, pod)
}

func (m *marker) mark(pod *corev1.Pod) { pod.Labels["marked"] = "true" }

package mistakes

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

type watcher struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	enqueue func(obj any)
	shared  *lib.Worker
}

// inHandler adds rate limited for each event.
func (w *watcher) inHandler(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				w.queue.AddRateLimited(key) // want `objects that change often wait up to minutes: w\.queue\.AddRateLimited \(3 places\) counts events as failures; use Add \(workqueue/rate-limited-events\)`
			}
		},
	})
	return err
}

// byMethod has a method for all events.
func (w *watcher) byMethod(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.add,
		UpdateFunc: func(_, cur any) { w.add(cur) },
		DeleteFunc: w.add,
	})
	return err
}

func (w *watcher) add(obj any) {
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		return
	}
	w.queue.AddRateLimited(key) // one finding for the queue, in inHandler
}

// byField keeps the function in a field, and the helper is in another package.
func (w *watcher) byField(informer cache.SharedIndexInformer) error {
	w.enqueue = func(obj any) {
		lib.EnqueueRateLimited(obj, w.queue) // the same
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) { w.enqueue(cur) },
	})
	return err
}

// byWorker leaves it to another package, which has the queue.
func (w *watcher) byWorker(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, cur any) {
			w.shared.Enqueue(cur) // want `objects that change often wait up to minutes: Enqueue \(AddRateLimited, lib\.go:\d+\) counts events as failures.*workqueue/rate-limited-events`
		},
	})
	return err
}

// asHandler has the method of another package as its handler.
func (w *watcher) asHandler(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.shared.Enqueue, // want `objects that change often wait up to minutes: Enqueue \(AddRateLimited, lib\.go:\d+\) counts events as failures.*workqueue/rate-limited-events`
		DeleteFunc: w.shared.EnqueueSlowly,
	})
	return err
}

// byInterface has it behind an interface, and registers it by a helper.
func byInterface(informer cache.SharedIndexInformer, worker lib.Enqueuer) error {
	_, err := informer.AddEventHandler(lib.OnAllEvents(worker.Enqueue)) // want `objects that change often wait up to minutes: Enqueue \(AddRateLimited, lib\.go:\d+\) counts events as failures.*workqueue/rate-limited-events`
	return err
}

// owned is a handler of controller-runtime, whose queue is its parameter.
func owned() handler.EventHandler {
	return handler.Funcs{
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			q.AddRateLimited(reconcile.Request{NamespacedName: types.NamespacedName{Name: e.ObjectNew.GetName()}}) // want `rate-limited-events`
		},
	}
}

// prioritized asks for the rate limiter by an option.
func prioritized() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			if queue, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
				queue.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, reconcile.Request{}) // want `objects that change often wait up to minutes: queue\.AddWithOpts counts events as failures.*workqueue/rate-limited-events`
				queue.AddWithOpts(priorityqueue.AddOpts{}, reconcile.Request{})
			}
		},
	}
}

// typed is a type that implements the handler for Pods.
type typed struct {
	handler.TypedFuncs[*corev1.Pod, reconcile.Request]
}

var _ handler.TypedEventHandler[*corev1.Pod, reconcile.Request] = &typed{}

func (h *typed) Create(_ context.Context, e event.TypedCreateEvent[*corev1.Pod], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	h.request(e.Object, q)
}

func (h *typed) request(pod *corev1.Pod, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	for _, owner := range pod.OwnerReferences {
		q.AddRateLimited(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: pod.Namespace, Name: owner.Name}}) // want `rate-limited-events`
	}
}

// byLibrary has a helper of another package add to a queue, and nothing else does.
func byLibrary(informer cache.SharedIndexInformer, queue workqueue.TypedRateLimitingInterface[string]) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			lib.EnqueueRateLimited(obj, queue) // want `hygiene: objects that change often wait up to minutes: EnqueueRateLimited \(AddRateLimited, lib\.go:\d+\) counts events as failures.*workqueue/rate-limited-events`
		},
	})
	return err
}

// all three handlers of one type add rate limited: one decision.
type allEvents struct {
	handler.TypedFuncs[*corev1.Node, reconcile.Request]
}

var _ handler.TypedEventHandler[*corev1.Node, reconcile.Request] = &allEvents{}

func (h *allEvents) Create(_ context.Context, e event.TypedCreateEvent[*corev1.Node], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	q.AddRateLimited(reconcile.Request{NamespacedName: types.NamespacedName{Name: e.Object.Name}}) // want `q.AddRateLimited \(2 places\) counts.*rate-limited-events`
}

func (h *allEvents) Delete(_ context.Context, e event.TypedDeleteEvent[*corev1.Node], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	q.AddRateLimited(reconcile.Request{NamespacedName: types.NamespacedName{Name: e.Object.Name}})
}

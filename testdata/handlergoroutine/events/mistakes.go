// Package events has goroutines that event handlers, predicates and map
// functions start.
package events

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// collector is a controller of the raw client-go kind.
type collector struct {
	queue workqueue.TypedRateLimitingInterface[string]
	stop  chan struct{}
	group sync.WaitGroup
	mu    sync.Mutex
	loops map[string]chan struct{}
}

func slow(name string) {
	if resp, err := http.Get("http://example.com/" + name); err == nil {
		resp.Body.Close()
	}
}

// register is where informers get their handlers.
func (c *collector) register(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			pod := obj.(*corev1.Pod)
			go func(name string) { // want `AddFunc starts a goroutine that never ends: memory grows each time; start it once, stop it with the object.*handlergoroutine/endless`
				for {
					slow(name)
					time.Sleep(time.Minute)
				}
			}(pod.Name)
		},
		UpdateFunc: c.changed,
		DeleteFunc: func(obj any) { c.forget(obj) },
	})
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandlerWithResyncPeriod(cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			go slow(obj.(*corev1.Pod).Name) // want `FilterFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines; enqueue the key, work in the reconciler.*handlergoroutine/per-event`
			return true
		},
		Handler: cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(obj any, isInInitialList bool) {
				c.group.Go(func() { slow(obj.(*corev1.Pod).Name) }) // want `AddFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
			},
		},
	}, time.Minute)
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: c.marked})
	return err
}

func (c *collector) changed(old, new any) {
	pod := new.(*corev1.Pod)
	go c.process(pod) // want `^hygiene: UpdateFunc starts a goroutine that keeps the \*v1\.Pod: others change it meanwhile; enqueue the key, work in the reconciler.*handlergoroutine/captured-object`
}

func (c *collector) process(pod *corev1.Pod) { slow(pod.Name) }

// marked is the cache's own object, and written while all others read it.
func (c *collector) marked(old, new any) {
	go mark(new.(*corev1.Pod)) // want `^leak: .*handlergoroutine/captured-object`
}

func mark(pod *corev1.Pod) {
	slow(pod.Name)
	pod.Status.Phase = corev1.PodRunning
}

func (c *collector) forget(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		go func() { // want `forget \(from DeleteFunc\) starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines; enqueue the key, work in the reconciler.*handlergoroutine/per-event`
			time.Sleep(time.Minute)
			slow(key)
		}()
	}
}

// podHandler implements the handler itself.
type podHandler struct{ mutex sync.Mutex }

func (h *podHandler) OnAdd(obj any, isInInitialList bool) {
	go slow(obj.(*corev1.Pod).Name) // want `OnAdd starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
}

func (h *podHandler) OnUpdate(old, new any) {}

func (h *podHandler) OnDelete(obj any) {
	time.AfterFunc(time.Minute, func() { slow(obj.(*corev1.Pod).Name) }) // want `hygiene: OnDelete starts a timer nobody waits for: 1,000 events, 1,000 timers`
}

// enqueuer is a handler of controller-runtime's.
type enqueuer struct{}

func (enqueuer) Create(ctx context.Context, e event.CreateEvent, q queue) {
	go slow(e.Object.GetName()) // want `Create starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
}
func (enqueuer) Update(ctx context.Context, e event.UpdateEvent, q queue)   {}
func (enqueuer) Delete(ctx context.Context, e event.DeleteEvent, q queue)   {}
func (enqueuer) Generic(ctx context.Context, e event.GenericEvent, q queue) {}

// changedOnly is a predicate.
type changedOnly struct{ predicate.Funcs }

func (changedOnly) Update(e event.UpdateEvent) bool {
	go slow(e.ObjectNew.GetName()) // want `Update starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
	return true
}

func setup(mgr ctrl.Manager, c controller.Controller) error {
	filter := predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool {
		go slow(e.Object.GetName()) // want `CreateFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
		return true
	}}
	named := predicate.NewPredicateFuncs(func(object client.Object) bool {
		go slow(object.GetName()) // want `predicate starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
		return object.GetName() != ""
	})
	err := ctrl.NewControllerManagedBy(mgr).
		For(new(corev1.ConfigMap)).
		WithEventFilter(predicate.Or(filter, named, changedOnly{})).
		Watches(new(corev1.Secret), handler.EnqueueRequestsFromMapFunc(requestsFor)).
		Watches(new(corev1.Node), enqueuer{}).
		Watches(new(corev1.Service), handler.Funcs{
			DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
				go slow(e.Object.GetName()) // want `DeleteFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
			},
		}).
		Complete(reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, nil }))
	if err != nil {
		return err
	}
	return c.Watch(source.Kind(mgr.GetCache(), new(corev1.Pod), handler.TypedFuncs[*corev1.Pod, reconcile.Request]{
		CreateFunc: func(ctx context.Context, e event.TypedCreateEvent[*corev1.Pod], q queue) {
			go slow(e.Object.Name) // want `CreateFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
		},
	}, predicate.NewTypedPredicateFuncs(func(pod *corev1.Pod) bool {
		go slow(pod.Name) // want `predicate starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
		return true
	})))
}

func requestsFor(ctx context.Context, object client.Object) []reconcile.Request {
	name := object.GetName()
	go slow(name) // want `map function starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(object)}}
}

// poller is a watch whose Stop does nothing: each reconnect leaves a goroutine.
type poller struct {
	ctx    context.Context
	result chan watch.Event
}

var _ watch.Interface = new(poller)

func (p *poller) ResultChan() <-chan watch.Event {
	go func() { // want `ResultChan starts a goroutine that never ends: one more each time the watch is re-established.*handlergoroutine/endless`
		for p.ctx.Err() == nil {
			time.Sleep(time.Second)
			p.result <- watch.Event{Type: watch.Modified, Object: new(metav1.Status)}
		}
	}()
	return p.result
}

func (p *poller) Stop() {}

// forwarding hands on what another watch sends, and never stops it.
type forwarding struct {
	inner  watch.Interface
	result chan watch.Event
}

func (f *forwarding) ResultChan() <-chan watch.Event {
	go func() { // want `ResultChan starts a goroutine that never ends: one more each time the watch is re-established.*handlergoroutine/endless`
		for e := range f.inner.ResultChan() {
			f.result <- e
		}
	}()
	return f.result
}

func (f *forwarding) Stop() {}

// remote asks a server while it holds the lock.
type remote struct {
	mu     sync.Mutex
	client *http.Client
	answer int
}

func (r *remote) OnAdd(any, bool)   { go r.refresh() } // want `OnAdd starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines`
func (r *remote) OnUpdate(_, _ any) {}
func (r *remote) OnDelete(any)      {}

func (r *remote) refresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer, err := r.client.Get("http://config.example.com"); err == nil {
		r.answer = answer.StatusCode
		answer.Body.Close()
	}
}

func (r *remote) register(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(r)
	return err
}

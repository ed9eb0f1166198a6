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
			go func(name string) { // want `each event starts a goroutine that never ends by itself, and they pile up with every event and resync until memory runs out: it stands in AddFunc \(mistakes.go:\d+\); start it once per object and stop it when the object goes, or run it from a Runnable \(handlergoroutine/endless\)`
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
			go slow(obj.(*corev1.Pod).Name) // want `it stands in FilterFunc \(mistakes.go:\d+\); .*handlergoroutine/per-event`
			return true
		},
		Handler: cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(obj any, isInInitialList bool) {
				c.group.Go(func() { slow(obj.(*corev1.Pod).Name) }) // want `it stands in AddFunc .*handlergoroutine/per-event`
			},
		},
	}, time.Minute)
	return err
}

func (c *collector) changed(old, new any) {
	pod := new.(*corev1.Pod)
	go c.process(pod) // want `each event starts a goroutine that nothing waits for, and nothing bounds their number: a burst of 1,000 events is 1,000 goroutines, and each holds the \*v1.Pod while others change it: it stands in UpdateFunc \(mistakes.go:\d+\); enqueue the key and do the work in the reconciler \(handlergoroutine/captured-object\)`
}

func (c *collector) process(pod *corev1.Pod) { slow(pod.Name) }

func (c *collector) forget(obj any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
		go func() { // want `reached by DeleteFunc \(mistakes.go:\d+\) → forget; .*handlergoroutine/per-event`
			time.Sleep(time.Minute)
			slow(key)
		}()
	}
}

// podHandler implements the handler itself.
type podHandler struct{ mutex sync.Mutex }

func (h *podHandler) OnAdd(obj any, isInInitialList bool) {
	go slow(obj.(*corev1.Pod).Name) // want `it stands in OnAdd .*handlergoroutine/per-event`
}

func (h *podHandler) OnUpdate(old, new any) {}

func (h *podHandler) OnDelete(obj any) {
	time.AfterFunc(time.Minute, func() { slow(obj.(*corev1.Pod).Name) }) // want `each event starts a timer that nothing waits for, .*it stands in OnDelete`
}

// enqueuer is a handler of controller-runtime's.
type enqueuer struct{}

func (enqueuer) Create(ctx context.Context, e event.CreateEvent, q queue) {
	go slow(e.Object.GetName()) // want `it stands in Create .*handlergoroutine/per-event`
}
func (enqueuer) Update(ctx context.Context, e event.UpdateEvent, q queue)   {}
func (enqueuer) Delete(ctx context.Context, e event.DeleteEvent, q queue)   {}
func (enqueuer) Generic(ctx context.Context, e event.GenericEvent, q queue) {}

// changedOnly is a predicate.
type changedOnly struct{ predicate.Funcs }

func (changedOnly) Update(e event.UpdateEvent) bool {
	go slow(e.ObjectNew.GetName()) // want `it stands in Update .*handlergoroutine/per-event`
	return true
}

func setup(mgr ctrl.Manager, c controller.Controller) error {
	filter := predicate.Funcs{CreateFunc: func(e event.CreateEvent) bool {
		go slow(e.Object.GetName()) // want `it stands in CreateFunc .*handlergoroutine/per-event`
		return true
	}}
	named := predicate.NewPredicateFuncs(func(object client.Object) bool {
		go slow(object.GetName()) // want `it stands in predicate .*handlergoroutine/per-event`
		return object.GetName() != ""
	})
	err := ctrl.NewControllerManagedBy(mgr).
		For(new(corev1.ConfigMap)).
		WithEventFilter(predicate.Or(filter, named, changedOnly{})).
		Watches(new(corev1.Secret), handler.EnqueueRequestsFromMapFunc(requestsFor)).
		Watches(new(corev1.Node), enqueuer{}).
		Watches(new(corev1.Service), handler.Funcs{
			DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
				go slow(e.Object.GetName()) // want `it stands in DeleteFunc .*handlergoroutine/per-event`
			},
		}).
		Complete(reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, nil }))
	if err != nil {
		return err
	}
	return c.Watch(source.Kind(mgr.GetCache(), new(corev1.Pod), handler.TypedFuncs[*corev1.Pod, reconcile.Request]{
		CreateFunc: func(ctx context.Context, e event.TypedCreateEvent[*corev1.Pod], q queue) {
			go slow(e.Object.Name) // want `it stands in CreateFunc .*handlergoroutine/per-event`
		},
	}, predicate.NewTypedPredicateFuncs(func(pod *corev1.Pod) bool {
		go slow(pod.Name) // want `it stands in predicate .*handlergoroutine/per-event`
		return true
	})))
}

func requestsFor(ctx context.Context, object client.Object) []reconcile.Request {
	name := object.GetName()
	go slow(name) // want `it stands in map function .*handlergoroutine/per-event`
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(object)}}
}

// poller is a watch whose Stop does nothing: each reconnect leaves a goroutine.
type poller struct {
	ctx    context.Context
	result chan watch.Event
}

var _ watch.Interface = new(poller)

func (p *poller) ResultChan() <-chan watch.Event {
	go func() { // want `each time that the watch is \(re\)established starts a goroutine that never ends by itself, .*handlergoroutine/endless`
		for p.ctx.Err() == nil {
			time.Sleep(time.Second)
			p.result <- watch.Event{Type: watch.Modified, Object: new(metav1.Status)}
		}
	}()
	return p.result
}

func (p *poller) Stop() {}

// remote asks a server while it holds the lock.
type remote struct {
	mu     sync.Mutex
	client *http.Client
	answer int
}

func (r *remote) OnAdd(any, bool)   { go r.refresh() } // want `each event starts a goroutine`
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

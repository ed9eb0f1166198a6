// Package handlergoroutine has goroutines that handlers and reconcilers of
// controller-runtime and client-go before generics start.
package handlergoroutine

import (
	"context"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

func slow(name string) {
	if resp, err := http.Get("http://example.com/" + name); err == nil {
		resp.Body.Close()
	}
}

type controller struct {
	client.Client
	queue   workqueue.RateLimitingInterface
	mu      sync.Mutex
	running map[string]bool
	handle  func(key string) error
}

// Reconcile leaves a goroutine behind, and starts one that it does not.
func (c *controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	pod := new(corev1.Pod)
	if err := c.Get(ctx, req.NamespacedName, pod); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	go c.clean(pod) // want `Reconcile starts a goroutine that keeps the \*v1\.Pod: others change it meanwhile.*handlergoroutine/captured-object`

	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running[req.Name] {
		c.running[req.Name] = true
		go wait.Forever(func() { slow(req.Name) }, time.Minute)
	}
	return ctrl.Result{}, nil
}

func (c *controller) clean(pod *corev1.Pod) { slow(pod.Name) }

// register has handlers of informers without isInInitialList.
func (c *controller) register(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) {
			go wait.Until(func() { slow(obj.(*corev1.Pod).Name) }, time.Minute, wait.NeverStop) // want `AddFunc starts a goroutine that never ends: memory grows each time.*handlergoroutine/endless`
		},
		UpdateFunc: func(old, new interface{}) { c.enqueue(new) },
		DeleteFunc: func(obj interface{}) {
			time.AfterFunc(time.Minute, func() { slow("deleted") }) // want `hygiene: DeleteFunc starts a timer nobody waits for: 1,000 events, 1,000 timers.*handlergoroutine/per-event`
		},
	})
}

func (c *controller) enqueue(obj interface{}) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		go c.queue.Add(key)
	}
}

// oldHandler is a handler of informers whose OnAdd has one parameter.
type oldHandler struct{}

func (oldHandler) OnAdd(obj interface{}) {
	go slow(obj.(*corev1.Pod).Name) // want `OnAdd starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
}
func (oldHandler) OnUpdate(old, new interface{}) {}
func (oldHandler) OnDelete(obj interface{})      {}

// enqueuer is a handler without a context.
type enqueuer struct{}

func (enqueuer) Create(e event.CreateEvent, q workqueue.RateLimitingInterface) {
	go slow(e.Object.GetName()) // want `Create starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
}
func (enqueuer) Update(event.UpdateEvent, workqueue.RateLimitingInterface)   {}
func (enqueuer) Delete(event.DeleteEvent, workqueue.RateLimitingInterface)   {}
func (enqueuer) Generic(event.GenericEvent, workqueue.RateLimitingInterface) {}

// setup registers untyped handlers, predicates and map functions.
func (c *controller) setup(mgr ctrl.Manager) error {
	filter := predicate.Funcs{DeleteFunc: func(e event.DeleteEvent) bool {
		go slow(e.Object.GetName()) // want `DeleteFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
		return false
	}}
	go slow("setup")
	return ctrl.NewControllerManagedBy(mgr).
		For(new(corev1.Pod)).
		Watches(&source.Kind{Type: new(corev1.Node)}, enqueuer{}).
		Watches(&source.Kind{Type: new(corev1.Secret)}, handler.EnqueueRequestsFromMapFunc(func(object client.Object) []reconcile.Request {
			name := object.GetName()
			go slow(name) // want `map function starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
			return nil
		})).
		Watches(&source.Kind{Type: new(corev1.Service)}, handler.Funcs{
			UpdateFunc: func(e event.UpdateEvent, q workqueue.RateLimitingInterface) {
				go slow(e.ObjectNew.GetName()) // want `UpdateFunc starts a goroutine nobody waits for: 1,000 events, 1,000 goroutines.*handlergoroutine/per-event`
			},
		}).
		WithEventFilter(filter).
		Complete(c)
}

// run starts the workers.
func (c *controller) run(stop <-chan struct{}) {
	defer c.queue.ShutDown()
	for i := 0; i < 3; i++ {
		go wait.Until(c.worker, time.Second, stop)
	}
	<-stop
}

func (c *controller) worker() {
	for c.next() {
	}
}

func (c *controller) next() bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key.(string)); err != nil {
		c.queue.AddRateLimited(key)
	}
	return true
}

func (c *controller) sync(key string) error {
	var group sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		name := name
		group.Add(1)
		go func() {
			defer group.Done()
			slow(name)
		}()
	}
	group.Wait()
	go slow(key) // want `sync \(from next\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	return nil
}

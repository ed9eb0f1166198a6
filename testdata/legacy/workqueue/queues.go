// Package workqueue has queues from before generics.
package workqueue

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

type controller struct {
	queue workqueue.RateLimitingInterface
	plain workqueue.Interface
	sync  func(key string) error
}

func newController(sync func(key string) error) *controller {
	return &controller{
		queue: workqueue.NewNamedRateLimitingQueue(workqueue.DefaultControllerRateLimiter(), "pods"),
		plain: workqueue.New(),
		sync:  sync,
	}
}

// notOnError returns without Done.
func (c *controller) notOnError() bool {
	item, quit := c.queue.Get() // want `no-done`
	if quit {
		return false
	}
	if err := c.sync(item.(string)); err != nil {
		return true
	}
	c.queue.Done(item)
	return true
}

// atOnce adds the failed key at once.
func (c *controller) atOnce() bool {
	item, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(item)
	key := item.(string)
	if err := c.sync(key); err != nil {
		c.queue.Add(key) // want `hot-retry`
	}
	return true
}

// limited never forgets; nor does anybody else.
func (c *controller) limited() bool {
	item, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(item)
	if err := c.sync(item.(string)); err != nil {
		c.queue.AddRateLimited(item) // want `each item that has ever failed stays in memory and waits longer at each failure: nothing calls c\.queue\.Forget; call it on success \(workqueue/no-forget\)`
	}
	return true
}

func (c *controller) watch(informer cache.SharedIndexInformer) {
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: c.enqueue,
		UpdateFunc: func(_, cur interface{}) {
			c.plain.Add(cur.(*corev1.Pod)) // want `pointer-key`
		},
	})
}

func (c *controller) enqueue(obj interface{}) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		c.queue.AddRateLimited(key) // want `rate-limited-events`
	}
}

func (c *controller) run(stop <-chan struct{}) {
	defer func() { go c.end() }()
	go wait.Until(c.drain, time.Second, stop)
	<-stop
}

func (c *controller) end() { c.queue.ShutDown() } // want `the workers of plain wait in Get forever after the end: controller\.end shuts down other queues only; shut all of them down \(workqueue/no-shutdown\)`

func (c *controller) drain() {
	for {
		item, quit := c.plain.Get()
		if quit {
			return
		}
		c.plain.Done(item)
	}
}

// owner is a handler of controller-runtime.
type owner struct{ handler.Funcs }

func (owner) Create(e event.CreateEvent, q workqueue.RateLimitingInterface) {
	q.AddRateLimited(reconcile.Request{NamespacedName: types.NamespacedName{Name: e.Object.GetName()}}) // want `rate-limited-events`
}

func (owner) Update(e event.UpdateEvent, q workqueue.RateLimitingInterface) {
	q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: e.ObjectNew.GetName()}})
}

// right is the usual worker.
func (c *controller) right(ctx context.Context, queue workqueue.RateLimitingInterface) bool {
	item, quit := queue.Get()
	if quit {
		return false
	}
	return func(item interface{}) bool {
		defer queue.Done(item)
		key, ok := item.(string)
		if !ok {
			queue.Forget(item)
			return true
		}
		if err := c.sync(key); err != nil {
			queue.AddRateLimited(key)
			return true
		}
		queue.Forget(item)
		return true
	}(item)
}

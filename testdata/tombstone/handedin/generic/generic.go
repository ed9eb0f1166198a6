// Package generic has a controller that is handed who works its keys off.
package generic

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Handler works off one key.
type Handler interface {
	Handle(key string) error
}

// Controller has the queue.
type Controller struct {
	handler Handler
	queue   workqueue.TypedRateLimitingInterface[any]
	Queued  map[string]int
}

// New makes one.
func New(h Handler, q workqueue.TypedRateLimitingInterface[any]) *Controller {
	return &Controller{handler: h, queue: q, Queued: make(map[string]int)}
}

// OnAny registers a function for all events.
func OnAny(informer cache.SharedInformer, f func(any)) error {
	_, err := informer.AddEventHandler(All(f))
	return err
}

// All makes a handler of a function.
func All(f func(any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{AddFunc: f, UpdateFunc: func(_, obj any) { f(obj) }, DeleteFunc: f}
}

// Enqueue queues the key of an object, and nothing of a tombstone.
func (c *Controller) Enqueue(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		klog.ErrorS(err, "No key")
		return
	}
	c.EnqueueKey(key)
}

// EnqueueKey queues a key.
func (c *Controller) EnqueueKey(key string) {
	c.queue.AddRateLimited(key)
	klog.V(4).InfoS("Queued", "key", key, "length", c.queue.Len())
}

// EnqueueCounted counts, too.
func (c *Controller) EnqueueCounted(obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	if err != nil {
		klog.ErrorS(err, "No key")
		return
	}
	delete(c.Queued, key)
	c.EnqueueKey(key)
}

// Run works keys off.
func (c *Controller) Run() {
	for c.next() {
	}
}

func (c *Controller) next() bool {
	item, quit := c.queue.Get()
	if quit {
		return false
	}
	err := func(item any) error {
		defer c.queue.Done(item)
		key, ok := item.(string)
		if !ok {
			c.queue.Forget(item)
			return nil
		}
		if err := c.handler.Handle(key); err != nil {
			return fmt.Errorf("handling %s: %w", key, err)
		}
		c.queue.Forget(item)
		return nil
	}(item)
	if err != nil {
		klog.ErrorS(err, "Failed")
	}
	return true
}

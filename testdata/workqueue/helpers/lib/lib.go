// Package lib has queues for other packages.
package lib

import (
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// EnqueueRateLimited adds the key of an object after a delay.
func EnqueueRateLimited(obj any, queue workqueue.TypedRateLimitingInterface[string]) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		queue.AddRateLimited(key)
	}
}

// Enqueue adds the key of an object.
func Enqueue(obj any, queue workqueue.TypedRateLimitingInterface[string]) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		queue.Add(key)
	}
}

// Stop shuts a queue down.
func Stop(queue workqueue.TypedRateLimitingInterface[string]) { queue.ShutDown() }

// Succeeded tells a queue about an item.
func Succeeded(queue workqueue.TypedRateLimitingInterface[string], key string) {
	queue.Forget(key)
	queue.Done(key)
}

// Worker has a queue of its own.
type Worker struct {
	queue workqueue.TypedRateLimitingInterface[string]
	slow  workqueue.TypedRateLimitingInterface[string]
}

// NewWorker makes a worker.
func NewWorker() *Worker {
	return &Worker{
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		slow:  workqueue.NewTypedRateLimitingQueue(Every(time.Minute)),
	}
}

// Enqueue adds an object.
func (w *Worker) Enqueue(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		w.queue.AddRateLimited(key)
	}
}

// EnqueueSlowly adds an object to a queue that waits a minute, and no longer.
func (w *Worker) EnqueueSlowly(obj any) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
		w.slow.AddRateLimited(key)
	}
}

// Retry adds an object if it has failed.
func (w *Worker) Retry(obj any, failure error) {
	if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil && failure != nil {
		w.queue.AddRateLimited(key)
	}
}

type every time.Duration

func (e every) When(string) time.Duration { return time.Duration(e) }
func (every) Forget(string)               {}
func (every) NumRequeues(string) int      { return 0 }

// Every makes a rate limiter that always waits as long.
func Every(d time.Duration) workqueue.TypedRateLimiter[string] { return every(d) }

// AddOpts says how an object is added.
type AddOpts struct{ RateLimited bool }

// EnqueueWithOpts adds an object in the way that the caller asks for.
func (w *Worker) EnqueueWithOpts(opts AddOpts, obj any) {
	key, err := cache.MetaNamespaceKeyFunc(obj)
	switch {
	case err != nil:
	case opts.RateLimited:
		w.queue.AddRateLimited(key)
	default:
		w.queue.Add(key)
	}
}

// Enqueuer is what a Worker is for those who only add.
type Enqueuer interface{ Enqueue(obj any) }

// OnAllEvents makes a handler of a function.
func OnAllEvents(fn func(obj any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    fn,
		UpdateFunc: func(_, cur any) { fn(cur) },
		DeleteFunc: fn,
	}
}

// Handle sees to what has become of an item.
func Handle(err error, key string, queue workqueue.TypedRateLimitingInterface[string]) {
	if err == nil {
		queue.Forget(key)
		return
	}
	queue.AddRateLimited(key)
}

// Take takes an item off for its caller.
func Take(queue workqueue.TypedInterface[string]) (string, bool) { return queue.Get() }

// Keeper keeps a queue for others.
type Keeper interface {
	Queue() workqueue.TypedRateLimitingInterface[string]
}

// NewKeeper makes one.
func NewKeeper() Keeper {
	return &keeper{workqueue.NewTypedRateLimitingQueue(Every(time.Minute))}
}

type keeper struct {
	kept workqueue.TypedRateLimitingInterface[string]
}

// Queue hands out the queue that is kept.
func (k *keeper) Queue() workqueue.TypedRateLimitingInterface[string] { return k.kept }

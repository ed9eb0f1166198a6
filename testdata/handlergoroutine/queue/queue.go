// Package queue has goroutines that the workers of raw client-go controllers
// start.
package queue

import (
	"context"
	"net/http"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/handlergoroutine/crosspkg/lib"
)

type controller struct {
	queue    workqueue.TypedRateLimitingInterface[string]
	priority *queueOfOurOwn
	sync     func(key string) error
	prefix   string
}

func slow(name string) error {
	resp, err := http.Get("http://example.com/" + name)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func newController() *controller {
	c := &controller{queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
	c.sync = c.syncPod
	return c
}

// run starts the workers: not a finding.
func (c *controller) run(ctx context.Context, workers int) {
	defer c.queue.ShutDown()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() { wait.UntilWithContext(ctx, c.worker, time.Second) })
		go wait.Until(c.drain, time.Second, ctx.Done())
	}
	go lib.RunWorker(ctx, c.queue, c.syncElsewhere)
	<-ctx.Done()
	group.Wait()
}

// worker starts a goroutine of its own before it takes the first item: not a
// finding.
func (c *controller) worker(ctx context.Context) {
	go wait.UntilWithContext(ctx, func(context.Context) { _ = slow("metrics") }, time.Minute)
	for c.next() {
	}
}

func (c *controller) next() bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

func (c *controller) syncPod(key string) error {
	go slow(key) // want `sync \(from next\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	return nil
}

// syncElsewhere is called by a worker in another package.
func (c *controller) syncElsewhere(key string) error {
	go slow(key) // want `sync function syncElsewhere starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
	return nil
}

// queueOfOurOwn has the shape of a workqueue.
type queueOfOurOwn struct{ items chan string }

func (q *queueOfOurOwn) Insert(item string) { q.items <- item }

func (q *queueOfOurOwn) Get() (item string, ctx context.Context, ok bool) {
	item, ok = <-q.items
	return item, context.Background(), ok
}

func (q *queueOfOurOwn) Done(item string) {}

func (c *controller) drain() {
	for {
		item, ctx, ok := c.priority.Get()
		if !ok {
			return
		}
		c.report(ctx, item)
		c.priority.Done(item)
	}
}

func (c *controller) report(_ context.Context, item string) {
	name := c.prefix + item
	go slow(name) // want `report \(from drain\) starts a goroutine nobody waits for: 1,000 objects, 1,000 goroutines; do the work inline and requeue.*handlergoroutine/per-reconcile`
}

package mistakes

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

// copied has a worker for each of its queues, made by copying the first.
type copied struct {
	nodes, pods, routes, ports workqueue.TypedRateLimitingInterface[string]
	boxed, others              workqueue.TypedRateLimitingInterface[any]
	fast, slow                 workqueue.TypedRateLimitingInterface[string]
}

func newCopied() *copied {
	c := &copied{nodes: newQueue("nodes"), pods: newQueue("pods"), routes: newQueue("routes"), ports: newQueue("ports")}
	c.boxed = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[any]())
	c.others = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[any]())
	c.fast, c.slow = newQueue("fast"), newQueue("slow")
	return c
}

func newQueue(name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
}

func (c *copied) shutDown() {
	c.nodes.ShutDown()
	c.pods.ShutDown()
	c.routes.ShutDown()
	c.ports.ShutDown()
	c.boxed.ShutDown()
	c.others.ShutDown()
	c.fast.ShutDown()
	c.slow.ShutDown()
}

func (c *copied) syncNode(string) error  { return nil }
func (c *copied) syncPod(string) error   { return nil }
func (c *copied) syncRoute(string) error { return nil }
func (c *copied) syncPort(string) error  { return nil }

// nextNode is the first worker, which is right.
func (c *copied) nextNode() bool {
	key, quit := c.nodes.Get()
	if quit {
		return false
	}
	defer c.nodes.Done(key)
	if err := c.syncNode(key); err != nil {
		c.nodes.AddRateLimited(key)
		return true
	}
	c.nodes.Forget(key)
	return true
}

// nextPod retries with the nodes.
func (c *copied) nextPod() bool {
	key, quit := c.pods.Get()
	if quit {
		return false
	}
	defer c.pods.Done(key)
	if err := c.syncPod(key); err != nil {
		c.nodes.AddRateLimited(key) // want `loss: items of pods that fail are lost: AddRateLimited puts them into nodes, for other workers; call it on pods \(workqueue/other-queue\)`
		return true
	}
	c.pods.Forget(key)
	return true
}

// nextRoute gives back what it has not got.
func (c *copied) nextRoute() bool {
	key, quit := c.routes.Get()
	if quit {
		return false
	}
	defer c.nodes.Done(key) // want `stuck: items of routes are never processed again: Done goes to nodes; call it on routes \(workqueue/other-queue\)`
	if err := c.syncRoute(key); err != nil {
		c.routes.AddRateLimited(key)
		return true
	}
	c.routes.Forget(key)
	return true
}

// nextBoxed forgets what is no key rightly, and the rest wrongly.
func (c *copied) nextBoxed() bool {
	obj, quit := c.boxed.Get()
	if quit {
		return false
	}
	err := func(obj any) error {
		defer c.boxed.Done(obj)
		key, ok := obj.(string)
		if !ok {
			c.boxed.Forget(obj)
			return nil
		}
		if err := c.syncPort(key); err != nil {
			c.boxed.AddRateLimited(key)
			return fmt.Errorf("syncing %s: %w", key, err)
		}
		c.others.Forget(obj) // want `leak: items of boxed that have ever failed wait longer at each failure: Forget goes to others; call it on boxed \(workqueue/other-queue\)`
		return nil
	}(obj)
	if err != nil {
		fmt.Println(err)
	}
	return true
}

func (c *copied) nextOther() bool {
	obj, quit := c.others.Get()
	if quit {
		return false
	}
	defer c.others.Done(obj)
	c.others.Forget(obj)
	return true
}

// nextPort hands the queue of the nodes to the function that sees to errors.
func (c *copied) nextPort() bool {
	key, quit := c.ports.Get()
	if quit {
		return false
	}
	defer c.ports.Done(key)
	c.handle(c.syncPort(key), key, c.nodes)
	return true
}

// nextNodeAgain hands it its own.
func (c *copied) nextNodeAgain() bool {
	key, quit := c.nodes.Get()
	if quit {
		return false
	}
	defer c.nodes.Done(key)
	c.handle(c.syncNode(key), key, c.nodes)
	return true
}

func (c *copied) handle(err error, key string, queue workqueue.TypedRateLimitingInterface[string]) {
	if err == nil {
		queue.Forget(key) // want `items of ports .* Forget goes to nodes.*other-queue`
		return
	}
	queue.AddRateLimited(key) // want `items of ports that fail are lost: .*other-queue`
}

// run hands one worker its queue, and another that of its neighbour for retries.
func (c *copied) run(context.Context) {
	go func() {
		for work(c.fast, c.fast, c.syncNode) {
		}
	}()
	go func() {
		for work(c.slow, c.fast, c.syncPod) {
		}
	}()
}

func work(queue, retries workqueue.TypedRateLimitingInterface[string], sync func(string) error) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer retries.Done(key) // want `items of slow are never processed again: Done goes to fast.*other-queue`
	if err := sync(key); err != nil {
		queue.AddRateLimited(key)
		return true
	}
	queue.Forget(key)
	return true
}

// byHelper leaves it to another package.
type byHelper struct {
	adds, deletes workqueue.TypedRateLimitingInterface[string]
}

func newByHelper() *byHelper { return &byHelper{adds: newQueue("adds"), deletes: newQueue("deletes")} }

func (b *byHelper) end() {
	b.adds.ShutDown()
	b.deletes.ShutDown()
}

func (b *byHelper) nextDelete(sync func(string) error) bool {
	key, quit := b.deletes.Get()
	if quit {
		return false
	}
	defer b.deletes.Done(key)
	lib.Handle(sync(key), key, b.adds) // want `items of deletes .*; hand deletes to Handle.*other-queue`
	return true
}

func (b *byHelper) nextAdd(sync func(string) error) bool {
	key, quit := b.adds.Get()
	if quit {
		return false
	}
	defer b.adds.Done(key)
	lib.Handle(sync(key), key, b.adds)
	return true
}

package mistakes

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	queue workqueue.TypedRateLimitingInterface[string]
	plain workqueue.TypedInterface[types.NamespacedName]
	boxed workqueue.TypedRateLimitingInterface[any]
	sync  func(ctx context.Context, key string) error
}

// neverDone forgets Done altogether.
func (c *controller) neverDone(ctx context.Context) bool {
	key, quit := c.queue.Get() // want `items of c\.queue are never processed again: controller\.neverDone returns in line \d+ without Done; defer it right after Get \(workqueue/no-done\)`
	if quit {
		return false
	}
	if err := c.sync(ctx, key); err == nil {
		c.queue.Forget(key)
	}
	return true
}

// notOnError returns early, before the Done at the end.
func (c *controller) notOnError(ctx context.Context) bool {
	key, quit := c.queue.Get() // want `items of c\.queue are never processed again: controller\.notOnError returns in line \d+ without Done.*workqueue/no-done`
	if quit {
		return false
	}
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	c.queue.Done(key)
	return true
}

// skips goes on with the next item without giving this one back.
func (c *controller) skips(ctx context.Context) {
	for {
		key, quit := c.plain.Get() // want `items of c\.plain are never processed again: controller\.skips goes on to the next Get without Done.*workqueue/no-done`
		if quit {
			return
		}
		if key.Namespace == "kube-system" {
			continue
		}
		_ = c.sync(ctx, key.String())
		c.plain.Done(key)
	}
}

// deferredLate defers Done after the checks that may return.
func (c *controller) deferredLate(ctx context.Context) bool {
	item, quit := c.boxed.Get() // want `items of c\.boxed are never processed again: controller\.deferredLate returns in line \d+ without Done.*workqueue/no-done`
	if quit {
		return false
	}
	key, ok := item.(string)
	if !ok {
		return true
	}
	defer c.boxed.Done(item)
	return c.sync(ctx, key) == nil
}

type item struct{ key, reason string }

// otherItem gives back the key of the item, which the queue does not know.
func (c *controller) otherItem(ctx context.Context) bool {
	got, quit := c.boxed.Get() // want `items of c\.boxed are never processed again: line \d+ calls Done with a part of the item, which the queue does not know.*workqueue/no-done`
	if quit {
		return false
	}
	work := got.(*item)
	defer c.boxed.Done(work.key)
	return c.sync(ctx, work.key) == nil
}

// calleeOnSuccess leaves Done to a function that forgets it on one way.
func (c *controller) calleeOnSuccess(ctx context.Context) {
	for {
		key, quit := c.queue.Get() // want `items of c\.queue are never processed again: controller\.process returns in line \d+ without Done.*workqueue/no-done`
		if quit {
			return
		}
		c.process(ctx, key)
	}
}

func (c *controller) process(ctx context.Context, key string) {
	if strings.HasPrefix(key, "kube-system/") {
		return
	}
	_ = c.sync(ctx, key)
	c.queue.Done(key)
}

// inLiteral has its worker in a goroutine.
func (c *controller) inLiteral(ctx context.Context) {
	go func() {
		for {
			key, quit := c.queue.Get() // want `items of c\.queue are never processed again: controller\.inLiteral goes on to the next Get without Done.*workqueue/no-done`
			if quit {
				return
			}
			if err := c.sync(ctx, key); err != nil {
				c.queue.AddRateLimited(key)
				continue
			}
			c.queue.Forget(key)
			c.queue.Done(key)
		}
	}()
}

// generic works for all queues that it is handed.
func generic[T comparable](queue workqueue.TypedRateLimitingInterface[T], sync func(T) error) bool {
	key, quit := queue.Get() // want `no-done`
	if quit {
		return false
	}
	if err := sync(key); err != nil {
		queue.AddRateLimited(key)
		return true
	}
	queue.Done(key)
	return true
}

func (c *controller) runGeneric(ctx context.Context) {
	for generic(c.queue, func(key string) error { return c.sync(ctx, key) }) {
	}
}

// deferredInLoop gives all items back when the worker ends, and none before.
func (c *controller) deferredInLoop(ctx context.Context) {
	for {
		key, quit := c.plain.Get() // want `items of c\.plain are never processed again: controller\.deferredInLoop goes on to the next Get without Done.*workqueue/no-done`
		if quit {
			return
		}
		defer c.plain.Done(key)
		_ = c.sync(ctx, key.String())
	}
}

// ifString gives back strings only: what is asserted may be nil for others.
func (c *controller) ifString(ctx context.Context) {
	for {
		item, quit := c.boxed.Get() // want `no-done`
		if quit {
			return
		}
		if key, ok := item.(string); ok && key != "" {
			_ = c.sync(ctx, key)
			c.boxed.Done(item)
		}
	}
}

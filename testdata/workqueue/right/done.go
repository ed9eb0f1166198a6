// Package right has workqueues that are used well, although they look as if
// they were not.
package right

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

type controller struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	other   workqueue.TypedRateLimitingInterface[string]
	boxed   workqueue.TypedRateLimitingInterface[any]
	plain   workqueue.TypedInterface[string]
	sync    func(ctx context.Context, key string) error
	results chan string
	batch   []string
}

// deferred is the usual worker.
func (c *controller) deferred(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// inLiteral defers Done in a literal that it calls at once.
func (c *controller) inLiteral(ctx context.Context) bool {
	item, quit := c.boxed.Get()
	if quit {
		return false
	}
	err := func(item any) error {
		defer c.boxed.Done(item)
		key, ok := item.(string)
		if !ok {
			c.boxed.Forget(item)
			return nil
		}
		if err := c.sync(ctx, key); err != nil {
			c.boxed.AddRateLimited(item)
			return err
		}
		c.boxed.Forget(item)
		return nil
	}(item)
	if err != nil {
		fmt.Println(err)
	}
	return true
}

// inCallee leaves Done to the function that it calls.
func (c *controller) inCallee(ctx context.Context) {
	for {
		key, quit := c.queue.Get()
		if quit {
			return
		}
		c.process(ctx, key)
	}
}

func (c *controller) process(ctx context.Context, key string) {
	defer c.queue.Done(key)
	if err := c.sync(ctx, key); err != nil {
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
}

// inGoroutine processes several items at a time; each gives its own back.
func (c *controller) inGoroutine(ctx context.Context) {
	for {
		key, quit := c.plain.Get()
		if quit {
			return
		}
		go func() {
			defer c.plain.Done(key)
			_ = c.sync(ctx, key)
		}()
	}
}

// next only passes the item on: its caller gives it back.
func (c *controller) next() (string, bool) {
	key, quit := c.queue.Get()
	return key, !quit
}

func (c *controller) callsNext(ctx context.Context) {
	for {
		key, ok := c.next()
		if !ok {
			return
		}
		_ = c.sync(ctx, key)
		c.queue.Done(key)
	}
}

// sent leaves the rest to whoever receives it.
func (c *controller) sent() {
	for {
		key, quit := c.plain.Get()
		if quit {
			return
		}
		c.results <- key
	}
}

// selected sends it unless it is told to stop.
func (c *controller) selected(ctx context.Context) {
	for {
		key, quit := c.plain.Get()
		if quit {
			return
		}
		select {
		case <-ctx.Done():
			c.plain.Done(key)
			return
		case c.results <- key:
		}
	}
}

// collected gives its items back in one go.
func (c *controller) collected() {
	for len(c.batch) < 10 {
		key, quit := c.plain.Get()
		if quit {
			return
		}
		c.batch = append(c.batch, key)
	}
	for _, key := range c.batch {
		c.plain.Done(key)
	}
}

// bothWays gives the item back on each of its ways.
func (c *controller) bothWays(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	if err := c.sync(ctx, key); err != nil {
		c.queue.Done(key)
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	c.queue.Done(key)
	return true
}

// exits ends the process where it does not give the item back.
func (c *controller) exits(ctx context.Context) {
	key, quit := c.plain.Get()
	if quit {
		return
	}
	if err := c.sync(ctx, key); err != nil {
		os.Exit(1)
	}
	c.plain.Done(key)
}

// told is told by the literal whether the item was given back.
func (c *controller) told(ctx context.Context) {
	key, quit := c.plain.Get()
	if quit {
		return
	}
	err := func() error {
		if err := c.sync(ctx, key); err != nil {
			return err
		}
		c.plain.Done(key)
		return nil
	}()
	if err != nil {
		c.plain.Done(key)
	}
}

// handed gives the item back unless somebody else has taken it over.
func (c *controller) handed(ctx context.Context, takes func(string) bool) {
	key, quit := c.plain.Get()
	if quit {
		return
	}
	taken := false
	defer func() {
		if !taken {
			c.plain.Done(key)
		}
	}()
	taken = takes(key)
	_ = c.sync(ctx, key)
}

// helper takes the queue as a parameter, and another one is handed to it, too.
func helper(ctx context.Context, queue workqueue.TypedRateLimitingInterface[string], sync func(context.Context, string) error) bool {
	key, quit := queue.Get()
	if quit {
		return false
	}
	defer queue.Done(key)
	if err := sync(ctx, key); err != nil {
		queue.AddRateLimited(key)
		return true
	}
	queue.Forget(key)
	return true
}

func (c *controller) runHelpers(ctx context.Context) {
	for helper(ctx, c.queue, c.sync) && helper(ctx, c.other, c.sync) {
	}
}

// counted is a queue of the program's own, which passes calls on.
type counted struct {
	workqueue.TypedRateLimitingInterface[string]
	busy int
}

func (c *counted) Get() (string, bool) {
	c.busy++
	return c.TypedRateLimitingInterface.Get()
}

func (c *counted) Done(key string) {
	c.busy--
	c.TypedRateLimitingInterface.Done(key)
}

// pool has a Get, but is no workqueue.
type pool struct{ free []string }

func (p *pool) Get() (string, bool) { return p.free[0], len(p.free) == 0 }

func (p *pool) take() string {
	name, _ := p.Get()
	return name
}

// either takes an item off one of two queues, and defers the Done of that one.
func (c *controller) either(ctx context.Context, first bool) bool {
	if first {
		key, quit := c.queue.Get()
		if quit {
			return false
		}
		defer c.queue.Done(key)
		_ = c.sync(ctx, key)
	} else {
		key, quit := c.plain.Get()
		if quit {
			return false
		}
		defer c.plain.Done(key)
		_ = c.sync(ctx, key)
	}
	return true
}

// foreign is a queue of other make: its Get says true as long as there is an
// item.
type foreign interface {
	Add(key string)
	Get() (key string, ok bool)
	Done(key string)
	Close()
}

func fromForeign(queue foreign) {
	for {
		key, ok := queue.Get()
		if !ok {
			return
		}
		println(key)
		queue.Done(key)
	}
}

// ifAny gives back what there is: Get returns nil only when the queue is shut
// down.
func (c *controller) ifAny(ctx context.Context) {
	for {
		item, quit := c.boxed.Get()
		if item != nil {
			_ = c.sync(ctx, item.(string))
			c.boxed.Done(item)
		}
		if quit {
			return
		}
	}
}

// untilNil does not ask whether the queue is shut down: nil says so.
func (c *controller) untilNil(ctx context.Context) {
	for {
		item, _ := c.boxed.Get()
		if item == nil {
			return
		}
		_ = c.sync(ctx, item.(string))
		c.boxed.Done(item)
	}
}

// untilEmpty does so by the empty key.
func (c *controller) untilEmpty(ctx context.Context) {
	for {
		key, _ := c.queue.Get()
		if key == "" {
			return
		}
		_ = c.sync(ctx, key)
		c.queue.Done(key)
	}
}

// inGeneric has a generic function give the item back.
func (c *controller) inGeneric(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	defer with(c.queue, func(queue workqueue.TypedRateLimitingInterface[string]) { queue.Done(key) })
	return c.sync(ctx, key) == nil
}

func with[T any](x T, do func(T)) { do(x) }

// unsplit gives nothing back that cannot be taken apart: no object has such a key.
func (c *controller) unsplit(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return true
	}
	defer c.queue.Done(key)
	if err := c.sync(ctx, namespace+"/"+name); err != nil {
		c.queue.AddRateLimited(key)
		return true
	}
	c.queue.Forget(key)
	return true
}

// unsplitLate gives the others back in several places.
func (c *controller) unsplitLate(ctx context.Context) bool {
	key, quit := c.boxed.Get()
	if quit {
		return false
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(key.(string))
	if err != nil {
		return false
	}
	if name == "" {
		c.boxed.Done(key)
		return true
	}
	defer func() {
		c.boxed.Done(key)
		c.boxed.AddAfter(key, 0)
	}()
	defer func() {
		if err = c.sync(ctx, namespace+"/"+name); err != nil {
			c.boxed.Forget(key)
		}
	}()
	return true
}

// over gives nothing back when all is over, and the queue with it.
func (c *controller) over(ctx context.Context) bool {
	key, quit := c.queue.Get()
	if quit {
		return false
	}
	run := func() {
		defer c.queue.Done(key)
		if c.sync(ctx, key) == nil {
			c.queue.Forget(key)
		}
	}
	select {
	case <-ctx.Done():
		return false
	default:
		run()
	}
	return true
}

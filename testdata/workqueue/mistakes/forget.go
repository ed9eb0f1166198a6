package mistakes

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
)

// forgetful never tells the rate limiter that a key has succeeded.
type forgetful struct {
	queue workqueue.TypedRateLimitingInterface[string]
	sync  func(ctx context.Context, key string) error
}

func newForgetful(sync func(ctx context.Context, key string) error) *forgetful {
	return &forgetful{
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
		sync:  sync,
	}
}

func (f *forgetful) run(ctx context.Context) {
	defer f.queue.ShutDown()
	go f.work(ctx)
	<-ctx.Done()
}

func (f *forgetful) work(ctx context.Context) {
	for {
		key, quit := f.queue.Get()
		if quit {
			return
		}
		f.process(ctx, key)
	}
}

func (f *forgetful) process(ctx context.Context, key string) {
	defer f.queue.Done(key)
	if err := f.sync(ctx, key); err != nil {
		f.queue.AddRateLimited(key) // want `hygiene: each item that has ever failed stays in memory and waits longer at each failure: nothing calls f\.queue\.Forget; call it on success \(workqueue/no-forget\)`
	}
}

// givesUp forgets what has failed for good, and not what has succeeded.
type givesUp struct {
	queue workqueue.TypedRateLimitingInterface[any]
	sync  func(ctx context.Context, key string) error
}

func newGivesUp(sync func(ctx context.Context, key string) error) *givesUp {
	limiter := workqueue.NewTypedMaxOfRateLimiter(
		workqueue.NewTypedItemExponentialFailureRateLimiter[any](time.Second, time.Minute),
		&workqueue.TypedBucketRateLimiter[any]{Limiter: rate.NewLimiter(10, 100)},
	)
	return &givesUp{queue: workqueue.NewTypedRateLimitingQueue(limiter), sync: sync}
}

func (g *givesUp) run(ctx context.Context) {
	defer g.queue.ShutDown()
	go g.work(ctx)
	<-ctx.Done()
}

func (g *givesUp) work(ctx context.Context) {
	for g.next(ctx) {
	}
}

func (g *givesUp) next(ctx context.Context) bool {
	item, quit := g.queue.Get()
	if quit {
		return false
	}
	defer g.queue.Done(item)
	key, ok := item.(string)
	if !ok {
		g.queue.Forget(item)
		return true
	}
	if err := g.sync(ctx, key); err != nil {
		if g.queue.NumRequeues(item) > 10 {
			g.queue.Forget(item)
			return true
		}
		g.queue.AddRateLimited(item) // want `leak: each item that has ever failed stays in memory and waits longer at each failure: g\.queue\.Forget runs only after failures \(line \d+\).*workqueue/no-forget`
	}
	return true
}

// local keeps its queue in a variable.
func local(ctx context.Context, sync func(ctx context.Context, key string) error) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	go func() {
		for {
			key, quit := queue.Get()
			if quit {
				return
			}
			if err := sync(ctx, key); err != nil {
				queue.AddRateLimited(key) // want `hygiene: each item that has ever failed stays in memory and waits longer at each failure: nothing calls queue\.Forget.*workqueue/no-forget`
			}
			queue.Done(key)
		}
	}()
	<-ctx.Done()
}

// writer adds all that it writes rate limited, with the value in the key.
type writer struct {
	queue workqueue.TypedRateLimitingInterface[string]
	write func(line string) error
}

func newWriter(write func(line string) error) *writer {
	return &writer{queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()), write: write}
}

func (w *writer) put(line string) {
	w.queue.AddRateLimited(line) // want `leak: each item that has ever failed stays in memory and waits longer at each failure: nothing calls w\.queue\.Forget`
}

func (w *writer) run(ctx context.Context) {
	defer w.queue.ShutDown()
	go func() {
		for {
			line, quit := w.queue.Get()
			if quit {
				return
			}
			_ = w.write(line)
			w.queue.Done(line)
		}
	}()
	<-ctx.Done()
}

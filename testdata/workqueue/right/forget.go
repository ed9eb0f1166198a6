package right

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/client-go/util/workqueue"
)

// forgets leaves it to handleErr.
type forgets struct {
	queue workqueue.TypedRateLimitingInterface[string]
	sync  func(ctx context.Context, key string) error
}

func newForgets(sync func(ctx context.Context, key string) error) *forgets {
	return &forgets{queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()), sync: sync}
}

func (f *forgets) run(ctx context.Context) {
	defer f.queue.ShutDown()
	go f.work(ctx)
	<-ctx.Done()
}

func (f *forgets) work(ctx context.Context) {
	for f.next(ctx) {
	}
}

func (f *forgets) next(ctx context.Context) bool {
	key, quit := f.queue.Get()
	if quit {
		return false
	}
	defer f.queue.Done(key)
	f.handleErr(f.sync(ctx, key), key)
	return true
}

func (f *forgets) handleErr(err error, key string) {
	if err == nil {
		f.queue.Forget(key)
		return
	}
	if f.queue.NumRequeues(key) < 3 {
		f.queue.AddRateLimited(key)
		return
	}
	f.queue.Forget(key)
}

// bucket limits the queue as a whole: there is nothing to forget.
type bucket struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

func newBucket() *bucket {
	return &bucket{queue: workqueue.NewTypedRateLimitingQueue[string](&workqueue.TypedBucketRateLimiter[string]{Limiter: rate.NewLimiter(10, 100)})}
}

// fixed is a rate limiter of the program's own, which counts nothing.
type fixed struct{}

func (fixed) When(string) time.Duration { return 10 * time.Second }
func (fixed) Forget(string)             {}
func (fixed) NumRequeues(string) int    { return 0 }

func newFixed() *bucket {
	return &bucket{queue: workqueue.NewTypedRateLimitingQueue[string](fixed{})}
}

func (b *bucket) run(ctx context.Context, sync func(string) error) {
	defer b.queue.ShutDown()
	go func() {
		for {
			key, quit := b.queue.Get()
			if quit {
				return
			}
			if err := sync(key); err != nil {
				b.queue.AddRateLimited(key)
			}
			b.queue.Done(key)
		}
	}()
	<-ctx.Done()
}

// Shared hands its queue out: others may forget.
type Shared struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

func NewShared() *Shared {
	return &Shared{queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())}
}

// Queue is for those who work on it.
func (s *Shared) Queue() workqueue.TypedRateLimitingInterface[string] { return s.queue }

func (s *Shared) next(sync func(string) error) bool {
	key, quit := s.queue.Get()
	if quit {
		return false
	}
	defer s.queue.Done(key)
	if err := sync(key); err != nil {
		s.queue.AddRateLimited(key)
	}
	return true
}

// always forgets first, whatever comes.
func always(ctx context.Context, sync func(string) error) {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer queue.ShutDown()
	go func() {
		for {
			key, quit := queue.Get()
			if quit {
				return
			}
			err := sync(key)
			if err != nil && queue.NumRequeues(key) < 5 {
				queue.AddRateLimited(key)
			} else {
				queue.Forget(key)
			}
			queue.Done(key)
		}
	}()
	<-ctx.Done()
}

package mistakes

import (
	"context"

	"k8s.io/client-go/tools/cache"
	wq "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// keys is an alias of a queue.
type keys = wq.TypedRateLimitingInterface[string]

// embedding is a queue by the one that it embeds.
type embedding struct {
	wq.TypedRateLimitingInterface[string]
	name string
}

type forms struct {
	own   *embedding
	alias keys
	sync  func(ctx context.Context, key string) error
}

func newForms() *forms {
	return &forms{
		own:   &embedding{wq.NewTypedRateLimitingQueue(wq.DefaultTypedControllerRateLimiter[string]()), "own"},
		alias: wq.NewTypedRateLimitingQueue(wq.DefaultTypedControllerRateLimiter[string]()),
	}
}

func (f *forms) run(ctx context.Context) {
	defer f.own.ShutDown()
	defer f.alias.ShutDown()
	go f.work(ctx)
	<-ctx.Done()
}

// work takes items off a queue of its own type.
func (f *forms) work(ctx context.Context) {
	for {
		key, quit := f.own.Get()
		if quit {
			return
		}
		if err := f.sync(ctx, key); err != nil {
			f.own.AddRateLimited(key) // want `each item that has ever failed stays in memory and waits longer at each failure: nothing calls f\.own\.Forget.*workqueue/no-forget`
		}
		f.own.Done(key)
	}
}

// aliased takes items off a queue whose type is an alias.
func (f *forms) aliased(ctx context.Context) bool {
	key, quit := f.alias.Get() // want `no-done`
	if quit {
		return false
	}
	if err := f.sync(ctx, key); err != nil {
		return false
	}
	f.alias.Forget(key)
	f.alias.Done(key)
	return true
}

// byPriority takes items off controller-runtime's priority queue.
func byPriority(ctx context.Context, queue priorityqueue.PriorityQueue[string], sync func(context.Context, string) error) bool {
	key, priority, quit := queue.GetWithPriority() // want `no-done`
	if quit {
		return false
	}
	if err := sync(ctx, key); err != nil {
		queue.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, key)
		return true
	}
	queue.Forget(key)
	queue.Done(key)
	return true
}

// silenced says why it is right.
func (f *forms) silenced(informer cache.SharedIndexInformer) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) {
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				f.alias.AddRateLimited(key) //nolint:workqueue // a delay is wanted
			}
		},
	})
	return err
}

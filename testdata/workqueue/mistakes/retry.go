package mistakes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
)

type retrier struct {
	queue workqueue.TypedRateLimitingInterface[string]
	plain workqueue.TypedInterface[string]
	boxed workqueue.TypedRateLimitingInterface[any]
	sync  func(ctx context.Context, key string) error
}

// atOnce adds the failed key again at once.
func (r *retrier) atOnce(ctx context.Context) bool {
	key, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(key)
	if err := r.sync(ctx, key); err != nil {
		r.queue.Add(key) // want `an item that keeps failing floods the API server: r\.queue\.Add puts it back at once; use AddRateLimited \(workqueue/hot-retry\)`
		return true
	}
	r.queue.Forget(key)
	return true
}

// inHandleErr does so in another function, and counts on NumRequeues, which
// stays 0.
func (r *retrier) inHandleErr(ctx context.Context) bool {
	key, quit := r.boxed.Get()
	if quit {
		return false
	}
	defer r.boxed.Done(key)
	err := r.sync(ctx, key.(string))
	r.handleErr(err, key)
	return true
}

func (r *retrier) handleErr(err error, key any) {
	if err == nil {
		r.boxed.Forget(key)
		return
	}
	if r.boxed.NumRequeues(key) < 5 {
		r.boxed.Add(key) // want `an item that keeps failing floods the API server: r\.boxed\.Add puts it back at once, and NumRequeues stays 0.*workqueue/hot-retry`
		return
	}
	r.boxed.Forget(key)
}

// atTheEnd does so for all errors but one kind.
func (r *retrier) atTheEnd(ctx context.Context) bool {
	key, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(key)
	r.finish(r.sync(ctx, key), key)
	return true
}

func (r *retrier) finish(err error, key string) {
	if err == nil || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		r.queue.Forget(key)
		return
	}
	r.queue.Add(key) // want `hot-retry`
}

// onPlain has a queue that cannot wait.
func (r *retrier) onPlain(ctx context.Context) {
	for {
		key, quit := r.plain.Get()
		if quit {
			return
		}
		err := r.sync(ctx, key)
		r.plain.Done(key)
		if err != nil {
			fmt.Println(err)
			r.plain.Add(key) // want `make it a rate limiting queue and use AddRateLimited.*hot-retry`
		}
	}
}

// retry is called because of the failure.
func (r *retrier) calls(ctx context.Context) bool {
	key, quit := r.queue.Get()
	if quit {
		return false
	}
	defer r.queue.Done(key)
	if err := r.sync(ctx, key); err != nil {
		r.retry(key)
	}
	return true
}

func (r *retrier) retry(key string) {
	r.queue.Add(key) // want `hot-retry`
}

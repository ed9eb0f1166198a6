package right

import (
	"context"

	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

// taker takes its items off in helpers, and gives them back.
type taker struct {
	queue workqueue.TypedRateLimitingInterface[string]
	sync  func(ctx context.Context, key string) error
}

func (t *taker) take() (string, bool) { return t.queue.Get() }

func (t *taker) next(ctx context.Context) bool {
	key, quit := t.take()
	if quit {
		return false
	}
	defer t.queue.Done(key)
	if err := t.sync(ctx, key); err != nil {
		t.queue.AddRateLimited(key)
		return true
	}
	t.queue.Forget(key)
	return true
}

func (t *taker) nextElsewhere(ctx context.Context) bool {
	key, quit := lib.Take(t.queue)
	if quit {
		return false
	}
	defer t.queue.Done(key)
	_ = t.sync(ctx, key)
	return true
}

func (t *taker) nextInLiteral(ctx context.Context) bool {
	take := func() (string, bool) { return t.queue.Get() }
	key, quit := take()
	if quit {
		return false
	}
	defer t.queue.Done(key)
	_ = t.sync(ctx, key)
	return true
}

// TakeForOthers is somebody else's worker.
func (t *taker) TakeForOthers() (string, bool) { return t.queue.Get() }

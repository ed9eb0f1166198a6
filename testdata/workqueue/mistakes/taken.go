package mistakes

import (
	"context"

	"k8s.io/client-go/util/workqueue"

	"github.com/opvet/opvet/testdata/workqueue/helpers/lib"
)

// taker takes its items off in helpers.
type taker struct {
	queue workqueue.TypedRateLimitingInterface[string]
	sync  func(ctx context.Context, key string) error
}

func (t *taker) take() (string, bool) { return t.queue.Get() }

func (t *taker) next(ctx context.Context) bool {
	key, quit := t.take() // want `items of queue are never processed again: taker\.next returns in line \d+ without Done; defer it right after take \(workqueue/no-done\)`
	if quit {
		return false
	}
	if err := t.sync(ctx, key); err != nil {
		return true
	}
	t.queue.Done(key)
	return true
}

func (t *taker) nextElsewhere(ctx context.Context) bool {
	key, quit := lib.Take(t.queue) // want `items of queue are never processed again: taker\.nextElsewhere returns in line \d+ without Done; defer it right after Take \(workqueue/no-done\)`
	if quit {
		return false
	}
	_ = t.sync(ctx, key)
	return true
}

func (t *taker) nextInLiteral(ctx context.Context) bool {
	take := func() (string, bool) { return t.queue.Get() } // want `items of t\.queue are never processed again: taker\.nextInLiteral returns in line \d+ without Done`
	key, quit := take()
	if quit {
		return false
	}
	_ = t.sync(ctx, key)
	return true
}

package early

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A helper must not cancel the context that it returns.

func bounded(ctx context.Context) context.Context {
	short, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return short // want `^loss: callers cannot use the context that bounded returns: it is cancelled before \(line \d+\); return its cancel function too, for them to call.*cancelled-early`
}

func (c *collector) boundedOrNot(ctx context.Context, limit time.Duration) (context.Context, error) {
	if limit < 0 {
		return nil, errors.New("no limit")
	}
	short, cancel := context.WithTimeout(ctx, limit)
	defer func() { cancel() }()
	return short, nil // want `callers cannot use the context that boundedOrNot returns: it is cancelled before`
}

func direct(ctx context.Context) context.Context {
	short, cancel := context.WithTimeout(ctx, 15*time.Second)
	cancel()
	return short // want `callers cannot use the context that direct returns: it is cancelled before`
}

func cancellable(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	return own, cancel // want `callers cannot use the context that cancellable returns: it is cancelled before`
}

// trapOfBoth leaves it to the caller.
func trapOfBoth(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 15*time.Second)
}

// trapOfClosed is meant to have ended.
func trapOfClosed() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// trapOfOuterContext returns the caller's.
func (c *collector) trapOfOuterContext(ctx context.Context) context.Context {
	short, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	_ = c.ask(short)
	return ctx
}

// trapOfSevered goes on without the end.
func trapOfSevered(ctx context.Context) context.Context {
	short, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	return context.WithoutCancel(short)
}

// trapOfError cancels if it returns an error.
func (c *collector) trapOfError(ctx context.Context) (_ context.Context, err error) {
	own, cancel := context.WithCancel(ctx)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	if err := c.Get(own, client.ObjectKey{}, nil); err != nil {
		return own, err
	}
	return own, nil
}

// trapOfFailure returns the error along with it.
func (c *collector) trapOfFailure(ctx context.Context) (context.Context, context.CancelFunc, error) {
	own, cancel := context.WithTimeout(ctx, time.Minute)
	if err := c.Get(own, client.ObjectKey{}, nil); err != nil {
		cancel()
		return own, cancel, err
	}
	return own, cancel, nil
}

// keeper has its context replaced when it starts.
type keeper struct {
	ctx context.Context
	c   client.Client
}

func (c *collector) trapOfReplaced(ctx context.Context) (*keeper, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	k := &keeper{ctx: ctx, c: c.Client}
	if err := k.c.Get(k.ctx, client.ObjectKey{}, nil); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *keeper) Start(ctx context.Context) error {
	k.ctx = ctx
	return k.c.Get(k.ctx, client.ObjectKey{}, nil)
}

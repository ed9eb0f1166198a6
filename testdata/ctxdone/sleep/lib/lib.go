// Package lib has helpers that sleep for their callers.
package lib

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
)

// Retry has no context: who calls it has to answer for it.
func Retry(times int, pause time.Duration, work func() error) error {
	var err error
	for range times {
		if err = work(); err == nil || errors.IsNotFound(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// RetryQuickly sleeps for an instant.
func RetryQuickly(work func() error) error {
	for range 5 {
		if work() == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return work()
}

// WaitGone has a context and is reported here, not where it is called.
func WaitGone(ctx context.Context, get func(context.Context) error) error {
	for range 30 {
		if err := get(ctx); errors.IsNotFound(err) {
			return nil
		}
		time.Sleep(3 * time.Second) // want `WaitGone sleeps for up to 1m30s in a loop and ignores ctx: shutdown waits for it`
	}
	return nil
}

// IsDone tells whether a context has ended.
func IsDone(ctx context.Context) bool { return ctx.Err() != nil }

// Agent has one implementation in its package.
type Agent interface {
	Settle() error
}

type agent struct{ ready func() error }

// NewAgent returns the one implementation.
func NewAgent(ready func() error) Agent { return &agent{ready} }

// Settle sleeps for its callers.
func (a *agent) Settle() error {
	time.Sleep(6 * time.Second)
	return a.ready()
}

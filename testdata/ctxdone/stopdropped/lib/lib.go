// Package lib waits for its callers.
package lib

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// UntilReady never gives up.
func UntilReady(ready func() (bool, error)) error {
	return wait.PollInfinite(time.Second, ready)
}

// UntilGone polls under the background, in a function of its own.
func UntilGone(gone func(context.Context) (bool, error)) error { return untilDone(gone) }

func untilDone(done func(context.Context) (bool, error)) error {
	return wait.PollUntilContextCancel(context.Background(), time.Second, true, done)
}

// Soon gives up by itself.
func Soon(ready func() (bool, error)) error {
	return wait.PollImmediate(100*time.Millisecond, 2*time.Second, ready)
}

// WithContext has its own.
func WithContext(ctx context.Context, ready func(context.Context) (bool, error)) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, ready)
}

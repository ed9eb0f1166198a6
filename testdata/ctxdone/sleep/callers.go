package sleep

import (
	"context"
	"time"

	"github.com/opvet/opvet/testdata/ctxdone/sleep/lib"
	"github.com/opvet/opvet/testdata/ctxdone/sleep/middle"
)

// throughTwo reaches the sleep through two packages.
func throughTwo(ctx context.Context) error {
	return middle.Apply(func() error { return ctx.Err() }) // want `Apply sleeps for up to 12s in a loop \(middle/middle.go:\d+\) and ignores ctx: shutdown waits for it`
}

// quick calls what sleeps for an instant, and what has a context of its own:
// not a finding.
func quick(ctx context.Context, work func(context.Context) error) error {
	if err := lib.RetryQuickly(func() error { return work(ctx) }); err != nil {
		return err
	}
	return lib.WaitGone(ctx, work)
}

// inBackground starts the retries and does not wait: not a finding.
func inBackground(ctx context.Context, work func() error) {
	go func() {
		_ = lib.Retry(3, time.Second, work)
	}()
	go lib.Retry(3, time.Second, work)
}

// byInterface calls a method of an interface that has one implementation.
func byInterface(ctx context.Context, agent lib.Agent) error {
	return agent.Settle() // want `Settle sleeps for 6s \(lib/lib.go:\d+\) and ignores ctx: shutdown waits for it`
}

// Nothing is asked before the helper sleeps.
func asksNothing(ctx context.Context, done func() bool) {
	for !done() {
		pauseForSeven()
	}
	_ = ctx
}

func pauseForSeven() {
	time.Sleep(7 * time.Second) // want `pauseForSeven sleeps for 7s.* and ignores ctx of asksNothing: shutdown waits for it; hand it on, and wait in a select with it`
}

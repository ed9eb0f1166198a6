package sleep

import (
	"context"
	"time"

	"github.com/opvet/opvet/testdata/ctxdone/sleep/lib"
)

// What a pause waits for is told by another package, or by who calls.

// afterTheEnd is over when it pauses: not a finding.
func afterTheEnd(ctx context.Context, stop func()) {
	lib.Until(ctx)
	time.Sleep(10 * time.Second)
	stop()
}

// notYetOver pauses as long, and its context lives.
func notYetOver(ctx context.Context, stop func()) {
	lib.Unless(ctx)
	time.Sleep(10 * time.Second) // want `ignores ctx: shutdown waits for it.*\(ctxdone/sleep\)`
	stop()
}

// backOff adds up to 1.5s: not a finding.
func (b *bounded) backOff(ctx context.Context) {
	pause := 100 * time.Millisecond
	for attempt := 0; attempt < 4; attempt++ {
		if b.try(ctx) {
			return
		}
		pauseFor(pause)
		pause *= 2
	}
}

func pauseFor(d time.Duration) { time.Sleep(d) }

// drains ends with the channel, and pauses briefly in between: not a finding.
func drains(ctx context.Context, names <-chan string) { lib.Drain(names) }

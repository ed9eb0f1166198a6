package sleep

import (
	"context"
	"time"
)

// capturedLong sleeps for 3m in all.
func (b *bounded) capturedLong(ctx context.Context) {
	pause := 12 * time.Second
	rest := func() {
		time.Sleep(pause) // want `Reconcile sleeps and holds a worker`
	}
	for range 4 {
		if b.try(ctx) {
			return
		}
		rest()
		pause *= 2
	}
}

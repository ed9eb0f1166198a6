package send

import (
	"context"
	"time"
)

type runner struct{ running []string }

// Run ends the process when its context ends.
func (r *runner) Run(ctx context.Context) {
	<-ctx.Done()
	r.shutDown()
}

// shutDown is the last that the process does: what it leaves behind goes with it.
func (r *runner) shutDown() {
	done := make(chan struct{})
	go func() {
		for len(r.running) > 0 {
			time.Sleep(time.Second)
		}
		done <- struct{}{}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
	}
}

// each is called again and again.
func (r *runner) each() {
	done := make(chan struct{})
	go func() {
		for len(r.running) > 0 {
			time.Sleep(time.Second)
		}
		done <- struct{}{} // want `this goroutine hangs in its send on done if each stops receiving`
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
	}
}

// Package ends has contexts in package-level variables: one ends when the process is told
// to stop, the other one never.
package ends

import (
	"context"
	"os/signal"
	"syscall"
)

var (
	ctx, stop  = context.WithCancel(context.Background())
	forever, _ = context.WithCancel(context.Background())
	loaded     context.Context
	unload     context.CancelFunc
)

func init() {
	loaded, unload = context.WithCancel(context.Background())
	told, done := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	go func() {
		defer done()
		<-told.Done()
		stop()
		unload()
	}()
}

// Context ends on a signal.
func Context() context.Context { return ctx }

// Loaded does so, too.
func Loaded() context.Context { return loaded }

// Forever never ends.
func Forever() context.Context { return forever }

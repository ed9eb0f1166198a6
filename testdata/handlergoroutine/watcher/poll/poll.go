// Package poll polls until it is told to stop.
package poll

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

type common struct{ ctx context.Context }

// Watcher is started and stopped.
type Watcher interface {
	Start() error
	Stop()
}

// New returns a watcher that ends with its context.
func New(ctx context.Context, cancel context.CancelFunc) Watcher {
	w := &watcher{cancel: cancel}
	w.ctx = ctx
	return w
}

type watcher struct {
	common
	cancel context.CancelFunc
}

func (w *watcher) Start() error {
	go wait.Until(w.poll, time.Minute, w.ctx.Done())
	return nil
}

func (w *watcher) Stop() { w.cancel() }

func (w *watcher) poll() {}

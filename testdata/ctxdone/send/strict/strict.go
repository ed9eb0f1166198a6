// Package strict has what is reported only with the strict flag: it happens
// once, when the process ends.
package strict

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

var _ manager.Runnable = &server{}

type server struct{}

func listen(context.Context) error { return nil }

// Start leaves a goroutine behind when the manager ends.
func (*server) Start(ctx context.Context) error {
	failed := make(chan error)
	go func() {
		failed <- listen(ctx) // want `this goroutine hangs in its send on failed if Start stops receiving \(line \d+: its context is done\); give the channel a buffer of 1`
	}()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

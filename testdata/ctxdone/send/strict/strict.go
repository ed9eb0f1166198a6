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
		failed <- listen(ctx) // want `the goroutine waits for ever to send on failed if Start stops receiving first \(strict.go:\d+: its context is done\), and stays in memory with all that it holds \(it stands in Start \(strict.go:\d+\)\); give the channel room for the value: make\(chan error, 1\)`
	}()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

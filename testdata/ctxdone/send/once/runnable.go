package main

import "context"

// server is started once, by the manager, and ends with it.
type server struct{}

// Start waits for the server or the end.
func (*server) Start(ctx context.Context) error {
	failed := make(chan error)
	go func() { failed <- run(ctx) }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// Package poll imports nothing of Kubernetes: what it does is its callers'
// concern, and nothing is reported here.
package poll

import (
	"context"
	"time"
)

// Settle waits for as long as it takes at most.
func Settle() { time.Sleep(10 * time.Second) }

// Retry tries for as long as it takes.
func Retry(try func() error) error {
	for range 30 {
		if err := try(); err == nil {
			return nil
		}
		time.Sleep(10 * time.Second)
	}
	return try()
}

// Listen gives up with its context.
func Listen(ctx context.Context, ready func() bool) error {
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for !ready() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

package lib

import (
	"context"
	"time"
)

// Until returns when the context has ended.
func Until(ctx context.Context) { <-ctx.Done() }

// Unless returns at once, or when the context has ended.
func Unless(ctx context.Context) {
	select {
	case <-ctx.Done():
	default:
	}
}

// Drain goes on until the channel is closed.
func Drain(names <-chan string) {
	for range names {
		time.Sleep(time.Second)
	}
}

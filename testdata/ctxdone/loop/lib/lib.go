// Package lib has helpers that another package's loops ask.
package lib

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ended reports whether a context has ended.
func Ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// Pause waits, but no longer than the context lives; it tells whether to go on.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// LogFatalAndExit ends the process.
func LogFatalAndExit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// Serve returns nil when its context has ended.
func Serve(ctx context.Context, name string) error {
	<-ctx.Done()
	return nil
}

// Condition has a name.
type Condition = metav1.Condition

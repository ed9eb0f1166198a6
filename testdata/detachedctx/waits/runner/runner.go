// Package runner runs what it is given.
package runner

import (
	"context"
	"time"
)

// Detached runs f under a context that nothing cancels.
func Detached(f func(context.Context) error) error { return f(context.Background()) }

// Limited gives f a minute.
func Limited(f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return f(ctx)
}

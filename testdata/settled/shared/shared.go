// Package shared is used by a server and by a command that ends. What its functions leave
// behind matters in the server alone, which the package cannot know: the standalone driver
// tells when it has the whole module.
package shared

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Served is run by the manager each minute.
func Served(ctx context.Context) error {
	failed := make(chan error)
	go func() { failed <- call(ctx) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-failed:
		return err
	}
}

// AtStart is run once by the manager, so that at most one goroutine hangs.
func AtStart(ctx context.Context) error {
	failed := make(chan error)
	go func() { failed <- call(ctx) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-failed:
		return err
	}
}

// Both is run by the manager and by seed.
func Both(ctx context.Context) {
	failed := make(chan error)
	go func() { failed <- call(ctx) }()
	select {
	case <-ctx.Done():
	case <-failed:
	}
}

// Once is run by seed, and what hangs ends with that.
func Once(ctx context.Context) error {
	failed := make(chan error)
	go func() { failed <- call(ctx) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-failed:
		return err
	}
}

// Ready is run by seed, which crashes as any process does.
func Ready(monitor *unstructured.Unstructured) bool {
	return monitor.Object["status"].(map[string]any)["ready"].(bool)
}

// Unused is run by nothing.
func Unused(ctx context.Context) error {
	failed := make(chan error)
	go func() { failed <- call(ctx) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-failed:
		return err
	}
}

// Monitored is run once by the manager: what starts again and again may hang only when the process ends.
func Monitored(ctx context.Context) {
	failed := make(chan error)
	go monitor(ctx, failed)
	for {
		select {
		case <-failed:
			go monitor(ctx, failed)
		case <-ctx.Done():
			return
		}
	}
}

func monitor(ctx context.Context, failed chan<- error) { failed <- call(ctx) }

func call(ctx context.Context) error { return ctx.Err() }

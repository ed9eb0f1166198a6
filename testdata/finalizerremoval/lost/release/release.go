// Package release has helpers of other packages that take finalizers off.
package release

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// InMemory cleans up and leaves it to its callers to store what is left of the list.
func InMemory(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() == nil || !controllerutil.ContainsFinalizer(b, name) {
		return nil
	}
	controllerutil.RemoveFinalizer(b, name)
	return nil
}

// Stored stores it.
func Stored(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	if b.GetDeletionTimestamp() == nil || !controllerutil.RemoveFinalizer(b, name) {
		return nil
	}
	return c.Update(ctx, b)
}

// FromCopy writes the wrong one of the two.
func FromCopy(ctx context.Context, c client.Client, b *v1.Backup, name string) error {
	released := b.DeepCopy()
	controllerutil.RemoveFinalizer(released, name) // want `the Backup stays Terminating: it is taken off a copy, and line \d+ writes the original, which still has it; write the copy \(finalizerremoval/not-persisted\)`
	return c.Update(ctx, b)
}

// Retry runs a function until there is no conflict.
func Retry(times int, run func() error) error {
	return upTo(times, run, func(error) bool { return true })
}

func upTo(times int, run func() error, again func(error) bool) error {
	var err error
	attempt := func() error { return run() }
	for range times {
		if err = attempt(); err == nil || !again(err) {
			return err
		}
	}
	return err
}

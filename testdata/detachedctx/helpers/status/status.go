// Package status writes the status for other packages.
package status

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Update has no context, and its callers are elsewhere.
func Update(c client.Client, backup *v1.Backup) error {
	return c.Status().Update(context.Background(), backup)
}

// Finish makes a step more.
func Finish(c client.Client, backup *v1.Backup) error {
	backup.Status.Phase = "Done"
	return Update(c, backup)
}

// Record gives its reason.
func Record(c client.Client, backup *v1.Backup) error {
	// detached: the record must be kept when the operator stops
	return c.Status().Update(context.Background(), backup)
}

// Save takes a context.
func Save(ctx context.Context, c client.Client, backup *v1.Backup) error {
	return c.Status().Update(ctx, backup)
}

// Name does not talk to anybody.
func Name(ctx context.Context, backup *v1.Backup) string { return backup.Name }

// Run waits for its end.
func Run(ctx context.Context) { <-ctx.Done() }

func Touch(c client.Client, backup *v1.Backup) error {
	return c.Update(context.Background(), backup)
}

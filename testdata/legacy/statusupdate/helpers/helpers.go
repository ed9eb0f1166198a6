// Package helpers is what the cases call from another package.
package helpers

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/legacy/api/v1"
)

// SetPhase changes the status in memory.
func SetPhase(b *v1.Backup, phase string) { b.Status.Phase = phase }

// UpdateStatus stores the status.
func UpdateStatus(ctx context.Context, c client.Client, obj client.Object) error {
	return c.Status().Update(ctx, obj)
}

// Package generated has a mistake in generated code, which is not reported,
// and one that uses generated code, which is.
package generated

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) usesGeneratedCode(ctx context.Context, b *v1.Backup) error {
	setPhase(b, v1.BackupRunning)
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

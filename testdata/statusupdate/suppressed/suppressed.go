// Package suppressed silences mistakes in each of the ways that users have.
package suppressed

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) byAnalyzer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate // an old API server
}

func (r *reconciler) bySuite(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:opvet
}

func (r *reconciler) byAll(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint
}

func (r *reconciler) byOneOfAList(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:errcheck,statusupdate
}

func (r *reconciler) onTheLineBefore(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	//lint:ignore statusupdate an old API server
	return r.Update(ctx, b)
}

//nolint:statusupdate // the whole function
func (r *reconciler) wholeFunction(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

func (r *reconciler) anotherAnalyzer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:errcheck // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) withoutAReason(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	//lint:ignore statusupdate
	return r.Update(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

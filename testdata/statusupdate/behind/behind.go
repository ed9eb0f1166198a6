// Package behind stores objects through interfaces of another package.
package behind

import (
	"context"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/behind/store"
)

type reconciler struct {
	store store.Store
	saver store.Saver
	sink  store.Sink
}

func (r *reconciler) dropped(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.store.Save(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) droppedByEither(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.saver.Write(ctx, b) // want `dropped.*\(statusupdate/dropped-by-update\)`
}

// The status has its own method.
func (r *reconciler) stored(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.store.SaveStatus(ctx, b)
}

// What the two do is not the same.
func (r *reconciler) notKnown(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.sink.Put(ctx, b)
}

// Nothing of the status is changed.
func (r *reconciler) labelled(ctx context.Context, b *v1.Backup) error {
	b.Labels = map[string]string{"seen": "true"}
	return r.store.Save(ctx, b)
}

// All of a few.
func (r *reconciler) each(ctx context.Context, b, other *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	for _, backup := range []*v1.Backup{b, other} {
		if err := r.store.Save(ctx, backup); err != nil { // want `dropped.*\(statusupdate/dropped-by-update\)`
			return err
		}
	}
	return nil
}

func (r *reconciler) eachStatus(ctx context.Context, b, other *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	for _, backup := range []*v1.Backup{b, other} {
		if err := r.store.SaveStatus(ctx, backup); err != nil {
			return err
		}
	}
	return nil
}

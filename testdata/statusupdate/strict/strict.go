// Package strict has the variants of statusupdate/metadata-dropped that only
// the strict flag reports: operators often set defaults in memory.
package strict

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
	"github.com/opvet/opvet/testdata/statusupdate/helpers"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) specField(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = true
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b) // want `spec.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) defaultsOfTheSpec(ctx context.Context, b *v1.Backup) error {
	base := client.MergeFrom(b.DeepCopy())
	b.Default()
	b.Status.Phase = v1.BackupPending
	return r.Status().Patch(ctx, b, base) // want `spec.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) setterOfTheSpec(ctx context.Context, claim *v1.Claim) error {
	claim.SetClaimReference("backup-1")
	claim.SetBindingPhase("Bound")
	return helpers.UpdateStatus(ctx, r.Client, claim) // want `spec.*\(statusupdate/metadata-dropped\)`
}

func (r *reconciler) specStored(ctx context.Context, b *v1.Backup) error {
	b.Spec.Paused = true
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = v1.BackupPending
	return r.Status().Update(ctx, b)
}

// The spec is blanked on purpose, on a copy.
func (r *reconciler) blankedSpec(ctx context.Context, b *v1.Backup, status v1.BackupStatus) error {
	sent := b.DeepCopy()
	sent.Spec = v1.BackupSpec{}
	sent.Status = status
	return r.Status().Update(ctx, sent)
}

// plan is what one reconcile does with its object; its caller writes the status
// at the end, and most steps change nothing else.
type plan struct {
	client client.Client
	backup *v1.Backup
}

func (p *plan) run(ctx context.Context) error {
	if err := p.fail(ctx); err != nil {
		return err
	}
	return p.client.Status().Update(ctx, p.backup)
}

func (p *plan) fail(ctx context.Context) error {
	p.backup.Status.Phase = v1.BackupFailed
	return p.note(ctx) // want `status set on line \d+ is dropped: Update \(in note\) writes only spec and metadata.*\(statusupdate/dropped-by-update\)`
}

func (p *plan) note(ctx context.Context) error {
	if p.backup.Spec.Paused || p.backup.Annotations["failed"] != "" {
		return nil
	}
	metav1.SetMetaDataAnnotation(&p.backup.ObjectMeta, "failed", "true")
	return p.client.Update(ctx, p.backup)
}

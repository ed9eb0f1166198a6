// Package cases has comments that silence something, and comments that do not.
package cases

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

type reconciler struct{ client.Client }

// Each of these comments silences a finding.

func (r *reconciler) lineEnd(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate // this cluster has no subresource
}

func (r *reconciler) wholeSuite(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:opvet // this cluster has no subresource
}

func (r *reconciler) oneCategory(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate/dropped-by-update // this cluster has no subresource
}

func (r *reconciler) asShownBySARIF(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:opvet/statusupdate // this cluster has no subresource
}

func (r *reconciler) above(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	//lint:ignore statusupdate this cluster has no subresource
	return r.Update(ctx, b)
}

//nolint:statusupdate // this cluster has no subresource
func (r *reconciler) function(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

func (r *reconciler) amongOthers(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:wrapcheck,statusupdate,errcheck // this cluster has no subresource
}

// Two comments silence the same finding: neither is needed while the other is
// there, which is no reason to bother anybody.
//
//nolint:statusupdate // this cluster has no subresource
func (r *reconciler) twice(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate // this cluster has no subresource
}

func (r *reconciler) group(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:status // this cluster has no subresource
}

// These are not about this suite.

func (r *reconciler) ofOthers(ctx context.Context, b *v1.Backup) error {
	b.Spec.Source = "" //nolint
	b.Spec.Source = "" //nolint:all
	b.Spec.Source = "" //nolint:errcheck,contextcheck,fatcontext
	//lint:ignore SA1019 the field is deprecated
	b.Spec.Source = ""
	//lint:ignore U1000
	b.Spec.Source = ""
	return r.Update(ctx, b) //nolint:update
}

// These silence nothing.

func (r *reconciler) mended(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b) //nolint:statusupdate // as above // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
}

func (r *reconciler) mendedSuite(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Status().Update(ctx, b) //nolint:opvet // as above // want `^hygiene: this comment hides the next mistake here, since opvet finds nothing now.*unusedignore/unused`
}

func (r *reconciler) otherAnalyzer(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:ownerref // want `^hygiene: this comment hides the next mistake here, since ownerref finds nothing now.*unusedignore/unused`
}

func (r *reconciler) otherCategory(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate/lost-on-update // want `^hygiene: this comment hides the next mistake here, since statusupdate/lost-on-update finds nothing now.*unusedignore/unused`
}

func (r *reconciler) otherLine(ctx context.Context, b *v1.Backup) error {
	//lint:ignore statusupdate the line below is not the one // want `^hygiene: this comment silences nothing: it stands at the cause of a finding; move it to line \d+, where statusupdate reports it \(unusedignore/misplaced\)`
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

//lint:ignore ctxdone,statusupdate one of them is not needed // want `^hygiene: this comment hides the next mistake here, since ctxdone finds nothing now.*unusedignore/unused`
func (r *reconciler) oneOfTwo(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b)
}

func (r *reconciler) otherGroup(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:finalizers // want `^hygiene: this comment hides the next mistake here, since finalizers finds nothing now.*unusedignore/unused`
}

// The comments stand at the cause.

func (r *reconciler) atTheCause(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning //nolint:statusupdate/dropped-by-update // want `^hygiene: this comment silences nothing: it stands at the cause of a finding; move it to line \d+, where statusupdate reports it \(unusedignore/misplaced\)`
	return r.Update(ctx, b)
}

// Of this cause the finding is silenced: the comment there is enough.
func (r *reconciler) atBoth(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning //nolint:statusupdate // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
	return r.Update(ctx, b)           //nolint:statusupdate // this cluster has no subresource
}

// The names are misspelt.

func (r *reconciler) partOfCategory(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate/dropped // want `^hygiene: this comment silences nothing: no analyzer, group or category is named statusupdate/dropped; write statusupdate/dropped-by-update \(unusedignore/unknown\)`
}

func (r *reconciler) noCategory(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate/overwritten // want `^hygiene: this comment silences nothing: no analyzer, group or category is named statusupdate/overwritten \(unusedignore/unknown\)`
}

func (r *reconciler) nearlyGroup(ctx context.Context, b *v1.Backup) error {
	return r.Update(ctx, b) //nolint:finalizer // want `no analyzer, group or category is named finalizer; write finalizers \(unusedignore/unknown\)`
}

func (r *reconciler) plural(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdates // want `^hygiene: this comment silences nothing: no analyzer, group or category is named statusupdates.*unusedignore/unknown`
}

func (r *reconciler) category(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) //nolint:statusupdate/droped-by-update // want `^hygiene: this comment silences nothing: no analyzer, group or category is named statusupdate/droped-by-update.*unusedignore/unknown`
}

func (r *reconciler) inTheSuite(ctx context.Context, b *v1.Backup) error {
	return r.Update(ctx, b) //nolint:opvet/stat // want `no analyzer, group or category is named stat \(unusedignore/unknown\)`
}

// The comments are not read.

func (r *reconciler) noReason(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	// want +1 `^hygiene: this comment silences nothing: it needs a reason after the name.*unusedignore/malformed`
	//lint:ignore statusupdate
	return r.Update(ctx, b)
}

func (r *reconciler) space(ctx context.Context, b *v1.Backup) error {
	b.Status.Phase = v1.BackupRunning
	// lint:ignore statusupdate this cluster has no subresource // want `there must be no space after the slashes`
	return r.Update(ctx, b)
}

// A comment about comments.
//
//nolint:unusedignore // the tool that writes this code writes them everywhere
func (r *reconciler) silenced(ctx context.Context, b *v1.Backup) error {
	return r.Status().Update(ctx, b) //nolint:statusupdate
}

//nolint:opvet // the tool that writes this code writes them everywhere
func (r *reconciler) silencedWithTheSuite(ctx context.Context, b *v1.Backup) error {
	return r.Status().Update(ctx, b) //nolint:statusupdate
}

package lost

import (
	"context"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// A helper puts the whole status together anew, and writes that.
func (r *reconciler) replacedByHelper(ctx context.Context, b *v1.Backup, id v1.BackupPhase) error {
	if b.Status.Phase == "" {
		b.Status.Phase = id
		if err := r.Update(ctx, b); err != nil {
			return err
		}
	}
	failed := r.process(ctx, b, id)
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	return failed
}

func (r *reconciler) process(ctx context.Context, b *v1.Backup, id v1.BackupPhase) error {
	started := metav1.Now()
	b.Status = v1.BackupStatus{Phase: id, StartTime: &started}
	if err := r.Status().Update(ctx, b); err != nil {
		log.Print(err)
	}
	return nil
}

// This helper sets something else.
func (r *reconciler) otherPartByHelper(ctx context.Context, b *v1.Backup, id v1.BackupPhase) error {
	b.Status.Phase = id
	if err := r.Update(ctx, b); err != nil { // want `status set on line \d+ is lost`
		return err
	}
	return r.stamp(ctx, b)
}

func (r *reconciler) stamp(ctx context.Context, b *v1.Backup) error {
	started := metav1.Now()
	b.Status.StartTime = &started
	return r.Status().Update(ctx, b)
}

// This helper sets the part of another object, and of this one after its write.
func (r *reconciler) otherObjectByHelper(ctx context.Context, b, parent *v1.Backup, id v1.BackupPhase) error {
	b.Status.Phase = id
	if err := r.Update(ctx, b); err != nil { // want `status set on line \d+ is lost`
		return err
	}
	return r.stampWith(ctx, b, parent, id)
}

func (r *reconciler) stampWith(ctx context.Context, b, parent *v1.Backup, id v1.BackupPhase) error {
	parent.Status.Phase = id
	started := metav1.Now()
	b.Status.StartTime = &started
	if err := r.Status().Update(ctx, b); err != nil {
		return err
	}
	b.Status.Phase = ""
	return nil
}

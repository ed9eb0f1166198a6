package lost

import (
	"context"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// The helper writes only if the annotation is another one: whether it is, callers know.
func (r *reconciler) placed(ctx context.Context, b *v1.Backup, cluster string) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.place(ctx, b, cluster); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) place(ctx context.Context, b *v1.Backup, cluster string) error {
	if b.Annotations["cluster"] == cluster {
		return nil
	}
	b.Annotations = map[string]string{"cluster": cluster}
	return r.Update(ctx, b)
}

// This one writes each time.
func (r *reconciler) moved(ctx context.Context, b *v1.Backup, cluster string) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.move(ctx, b, cluster); err != nil { // want `\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) move(ctx context.Context, b *v1.Backup, cluster string) error {
	b.Annotations = map[string]string{"cluster": cluster}
	if err := r.Update(ctx, b); err != nil {
		return err
	}
	return nil
}

// One that hands on what such a helper returns writes no more often.
func (r *reconciler) placedByAnother(ctx context.Context, b *v1.Backup, cluster string) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.handOn(ctx, b, cluster); err != nil {
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) handOn(ctx context.Context, b *v1.Backup, cluster string) error {
	return r.place(ctx, b, cluster)
}

func (r *reconciler) movedByAnother(ctx context.Context, b *v1.Backup, cluster string) error {
	b.Status.Phase = v1.BackupRunning
	if err := r.moveOn(ctx, b, cluster); err != nil { // want `\(statusupdate/lost-on-update\)`
		return err
	}
	return r.Status().Update(ctx, b)
}

func (r *reconciler) moveOn(ctx context.Context, b *v1.Backup, cluster string) error {
	return r.move(ctx, b, cluster)
}

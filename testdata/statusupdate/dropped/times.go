package dropped

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// When it was tried last is set again by the next round.

func (r *reconciler) onlyWhen(ctx context.Context, b *v1.Backup) error {
	now := metav1.Now()
	b.Labels = map[string]string{"stage": "started"}
	b.Status.StartTime = &now
	return r.Update(ctx, b) // want `^hygiene: status set .*\(statusupdate/dropped-by-update\)`
}

func (r *reconciler) whenAndWhat(ctx context.Context, b *v1.Backup) error {
	now := metav1.Now()
	b.Status.StartTime = &now
	b.Status.Phase = v1.BackupRunning
	return r.Update(ctx, b) // want `^loss: status set .*\(statusupdate/dropped-by-update\)`
}

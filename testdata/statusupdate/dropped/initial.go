package dropped

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// isNew takes an empty phase for Pending.
func isNew(b *v1.Backup) bool {
	return b.Status.Phase == "" || b.Status.Phase == v1.BackupPending
}

// createPending drops what an empty status means as well.
func createPending(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &v1.Backup{ // want `hygiene: status set on line \d+ is dropped: .* leave it out \(statusupdate/dropped-by-update\)`
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.BackupStatus{Phase: v1.BackupPending},
	})
}

// createRunning drops something else.
func createRunning(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &v1.Backup{ // want `loss: status set on line \d+ is dropped: Create .*\(statusupdate/dropped-by-update\)`
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.BackupStatus{Phase: v1.BackupRunning},
	})
}

// createPendingSince drops a time, too.
func createPendingSince(ctx context.Context, c client.Client, name string) error {
	now := metav1.Now()
	return c.Create(ctx, &v1.Backup{ // want `loss: status set .*\(statusupdate/dropped-by-update\)`
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.BackupStatus{Phase: v1.BackupPending, StartTime: &now},
	})
}

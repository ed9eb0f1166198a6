package dropped

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// createRunning drops what the first Reconcile of the object sets.
func createRunning(ctx context.Context, c client.Client, name string) error {
	return c.Create(ctx, &v1.Backup{ // want `hygiene: status set on line \d+ is dropped: Create .*\(statusupdate/dropped-by-update\)`
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     v1.BackupStatus{Phase: v1.BackupRunning},
	})
}

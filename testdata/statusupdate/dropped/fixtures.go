package dropped

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// A fake client stores what it is given; such files are there for tests,
// whatever their names.
func running(t *testing.T, c client.Client, b *v1.Backup) {
	b.Status.Phase = v1.BackupRunning
	if err := c.Update(context.Background(), b); err != nil {
		t.Fatal(err)
	}
}

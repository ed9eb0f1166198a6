package suppressed

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/opvet/opvet/testdata/api/v1"
)

// Test files are not reported unless asked for.
func TestUpdate(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	b := &v1.Backup{}
	b.Status.Phase = v1.BackupRunning
	if err := c.Update(t.Context(), b); err == nil {
		t.Error("updated an object that does not exist")
	}
}

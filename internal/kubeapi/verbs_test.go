package kubeapi_test

import (
	"testing"

	"github.com/opvet/opvet/internal/kubeapi"
)

// A verb is a whole word: issuing is not asking.
func TestIsAskingName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"GetState": true, "isReady": true, "List": true, "has_members": true,
		"IssueCertificate": false, "Listen": false, "hashOf": false, "Checkpoint": false, "WaitFor": false,
	} {
		if got := kubeapi.IsAskingName(name); got != want {
			t.Errorf("IsAskingName(%q) = %v, want %v", name, got, want)
		}
	}
}

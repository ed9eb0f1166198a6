package handlers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestKnative tells which handlers lose nothing that matters to a controller of knative's.
func TestKnative(t *testing.T) {
	dir := passtest.Knative(t, "../../../../testdata", "testdata/knative.txtar")
	got := make(map[string]bool)
	for _, result := range passtest.Run[*handlers.Handlers](t, handlers.Analyzer, dir, "./queues") {
		for _, l := range result.Value.Losses {
			got[l.Instr.Parent().Name()] = l.Harmless
		}
	}
	if diff := cmp.Diff(map[string]bool{"pod": true, "service": true, "config": false}, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

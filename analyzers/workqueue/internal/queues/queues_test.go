package queues_test

import (
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestMade checks what is known of the queues that a package makes: where they
// are kept, their rate limiter, and whether all that is done with them is known.
func TestMade(t *testing.T) {
	results := passtest.Run[*queues.Queues](t, queues.Analyzer, "../../../../testdata", "./workqueue/right", "./workqueue/helpers/lib")
	const path = "github.com/opvet/opvet/testdata/workqueue/"
	right := results[path+"right"].Value
	limiters := make(map[string]kubeapi.Limiter)
	escaped := make(map[string]bool)
	for _, m := range right.Made {
		name := m.Call.Parent().Name()
		if f := m.Field(); f != nil {
			name += "." + f.Name()
		}
		limiters[name] = m.Limiter
		_, all := m.Ops()
		escaped[name] = !all
	}
	for name, want := range map[string]kubeapi.Limiter{
		"newForgets.queue": kubeapi.PerItem,
		"newBucket.queue":  kubeapi.Overall,
		"newFixed.queue":   kubeapi.OwnLimiter,
		"newWatcher.fixed": kubeapi.OwnLimiter,
		"newWatcher.every": kubeapi.OwnLimiter,
		"always":           kubeapi.PerItem,
	} {
		if got, ok := limiters[name]; !ok || got != want {
			t.Errorf("the limiter of %s is %d (found: %v), want %d", name, got, ok, want)
		}
	}
	for name, want := range map[string]bool{"newForgets.queue": false, "NewShared.queue": true, "handed": true, "byHelper": false} {
		if got, ok := escaped[name]; !ok || got != want {
			t.Errorf("%s has escaped: %v (found: %v), want %v", name, got, ok, want)
		}
	}
}

// TestReach checks that a worker which several queues are handed to does not
// make them one.
func TestReach(t *testing.T) {
	results := passtest.Run[*queues.Queues](t, queues.Analyzer, "../../../../testdata", "./workqueue/mistakes")
	info := results["github.com/opvet/opvet/testdata/workqueue/mistakes"].Value
	shut := make(map[string]bool)
	for _, m := range info.Made {
		if m.Call.Parent().Name() != "newSome" {
			continue
		}
		ops, _ := m.Ops()
		shut[m.Field().Name()] = slices.ContainsFunc(ops, func(op *queues.Op) bool { return op.Verb == kubeapi.QueueShutDown })
		if !slices.ContainsFunc(ops, func(op *queues.Op) bool { return op.Verb == kubeapi.QueueGet }) {
			t.Errorf("%s: no Get", m.Field().Name())
		}
	}
	for name, want := range map[string]bool{"added": true, "updated": false, "deleted": false} {
		if got, ok := shut[name]; !ok || got != want {
			t.Errorf("%s is shut down: %v (found: %v), want %v", name, got, ok, want)
		}
	}
}

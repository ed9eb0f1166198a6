package syncs_test

import (
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestWaits checks what is known of waits: in a package, and of the functions
// of another one.
func TestWaits(t *testing.T) {
	results := passtest.Run[*syncs.Syncs](t, syncs.Analyzer, "../../../../testdata", "./cachesync/helpers/...")
	const path = "github.com/opvet/opvet/testdata/cachesync/helpers"
	limits := map[syncs.Limit]string{syncs.Stop: "stop", syncs.Timed: "timed", syncs.Never: "never"}
	var got []string
	info := results[path].Value
	for _, w := range info.Waits {
		where := "here"
		if w.Elsewhere != "" {
			where = "elsewhere"
		}
		got = append(got, info.Text(w.Call)+" "+where+" "+limits[w.Limit])
	}
	want := []string{
		"r.clusters[req.Name].Synced elsewhere stop",
		"lib.WaitFor elsewhere stop",
		"lib.WaitAlways elsewhere never",
		"lib.WaitFor elsewhere timed",
		"cache.WaitForCacheSync here stop",
		"lib.WaitFor elsewhere stop",
		"cache.WaitForCacheSync here stop",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	got = nil
	for _, w := range info.Wrapped {
		got = append(got, w.Call.Parent().Name()+": "+info.Text(w.Call)+" "+limits[w.Limit])
	}
	want = []string{
		"Reconcile: r.clusters[req.Name].Synced stop",
		"Reconcile: lib.WaitFor stop",
		"Reconcile: lib.WaitFor timed",
		"Reconcile: r.within timed",
		"ready: lib.WaitFor stop",
		"dropsAnswer: r.ready stop",
		"asksAnswer: r.ready stop",
	}
	if !slices.Equal(got, want) {
		t.Errorf("wrapped: got %q\nwant %q", got, want)
	}
	if !info.Asks {
		t.Error("the package waits for caches, which is not noticed")
	}
}

// TestUses checks that workers of another package, and reads in helpers, are
// found.
func TestUses(t *testing.T) {
	results := passtest.Run[*syncs.Syncs](t, syncs.Analyzer, "../../../../testdata", "./cachesync/helpers/...", "./cachesync/mistakes")
	const path = "github.com/opvet/opvet/testdata/cachesync/"
	for pkg, want := range map[string][]string{
		path + "helpers":  {"asksAnswer: work", "dropsAnswer: work", "run: a worker"},
		path + "mistakes": {"Run: a worker", "hangs: a worker", "loggedLater: runWorker", "plainWorkers: runWorker", "readsInHelper: c.pods.List", "timedOut: runWorker", "workersFirst: runWorker"},
	} {
		info := results[pkg].Value
		var got []string
		for _, fn := range info.Graph.Funcs {
			for instr := range blocks.Instrs(fn) {
				for _, use := range info.UsesAt(instr) {
					if use.Kind == syncs.Starts || use.Via != nil && fn.Name() == "readsInHelper" {
						got = append(got, fn.Name()+": "+use.What)
					}
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", pkg, got, want)
		}
	}
}

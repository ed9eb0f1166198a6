package stores_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/cachewrite/internal/stores"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestWrites checks where writes are found and what they are said to be: in a
// package that uses the helpers of another one, and in that one.
func TestWrites(t *testing.T) {
	results := passtest.Run[*stores.Writes](t, stores.Analyzer, "../../../../testdata", "./cachewrite/helpers/...")
	const path = "github.com/opvet/opvet/testdata/cachewrite/helpers"
	var got []string
	for _, w := range results[path].Value.Writes {
		text := w.What + " of " + w.Store
		if w.Inner != nil {
			text = fmt.Sprintf("%s: %s in %s of %s", w.Into, w.What, w.Inner.Func, w.Store)
		}
		got = append(got, text)
	}
	want := []string{
		"Remember: store.Update in put of c.informer.GetStore",
		"i.Store().Add of i.Store, i.informer.GetStore",
		"i.Pods.Update of informer.GetIndexer",
		"NewTracker: t.store.Add in Tracker.Track of c.informer.GetStore",
		"the field Known: o.Known.Add in Options.Fill of c.informer.GetIndexer",
		"c.getter().Delete of c.informer.GetIndexer",
		"indexer.Update of c.informer.GetIndexer",
		"mixed: store.Add in mixed of c.informer.GetStore",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if writes := results[path+"/lib"].Value.Writes; len(writes) > 0 {
		t.Errorf("a package that gets its stores from others writes to live ones: %v", writes)
	}
}

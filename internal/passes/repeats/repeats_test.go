package repeats_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestSites checks which clients are found in a package that uses the helpers
// of another one, and by which way.
func TestSites(t *testing.T) {
	results := passtest.Run[*repeats.Built](t, repeats.Analyzer, "../../../testdata", "./reconcileclient/helpers/...")
	const path = "github.com/opvet/opvet/testdata/reconcileclient/helpers"
	var got []string
	for _, s := range results[path].Value.Sites {
		got = append(got, fmt.Sprintf("%s %s in %s, %d calls from %s, elsewhere %v", s.Kind, s.What, s.Func, len(s.Path.Edges()), s.Path.Entry.Name(), s.Elsewhere))
	}
	want := []string{
		"a client kubernetes.NewForConfig in newClient, 0 calls from Reconcile, elsewhere true",
		"a client kubernetes.NewForConfig in NewClient, 0 calls from Reconcile, elsewhere true",
		"a client kubernetes.NewForConfig in Reconciler.Reconcile, 0 calls from Reconcile, elsewhere false",
		"a client kubernetes.NewForConfig in newClient, 1 calls from Reconcile, elsewhere true",
		"a client kubernetes.NewForConfig in NewClient, 0 calls from Reconcile, elsewhere true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if sites := results[path+"/lib"].Value.Sites; len(sites) > 0 {
		t.Errorf("a package without entry points has %v", sites)
	}
}

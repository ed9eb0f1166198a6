package periods_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/resync/internal/periods"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestSites checks the periods that a package gives to the informers of another
// one, and what is known of these.
func TestSites(t *testing.T) {
	results := passtest.Run[*periods.Periods](t, periods.Analyzer, "../../../../testdata", "./resync/helpers/...", "./resync/strict")
	reach := map[periods.Reach]string{periods.Wide: "wide", periods.Doubtful: "doubtful", periods.Narrow: "narrow"}
	for pkg, want := range map[string][]string{
		"helpers":     {"30s informer factory wide", "10s informer factory wide", "1h0m0s informer factory wide", "30s informer factory narrow"},
		"helpers/lib": nil,
		"strict":      {"30s informer factory doubtful", "30s informer factory doubtful", "30s informer doubtful", "30s informer factory wide", "10s shared informer narrow"},
	} {
		var got []string
		for _, site := range results["github.com/opvet/opvet/testdata/resync/"+pkg].Value.Sites {
			got = append(got, fmt.Sprintf("%v %v %s", site.Period, site.Target, reach[site.Reach]))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q\nwant %q", pkg, got, want)
		}
	}
}

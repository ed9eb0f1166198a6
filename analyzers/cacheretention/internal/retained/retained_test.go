package retained_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/opvet/opvet/analyzers/cacheretention/internal/retained"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestKept checks what is said of objects that are kept by way of helpers.
func TestKept(t *testing.T) {
	results := passtest.Run[*retained.Retentions](t, retained.Analyzer, "../../../../testdata", "./cacheretention/helpers/...")
	var got []string
	for _, k := range results["github.com/opvet/opvet/testdata/cacheretention/helpers"].Value.Kept {
		got = append(got, fmt.Sprintf("%s in %s by %q after %d calls, from %s; removed %t", k.Container, k.Func, k.Helper, len(k.Calls), k.Origin.What, k.Removed))
	}
	want := []string{
		`r.pods in Registry.put by "Register" after 0 calls, from c.pods.Get; removed false`,
		`c.seen in controller.remember by "" after 1 calls, from c.pods.Get; removed false`,
		`known in Know by "Know" after 0 calls, from obj of AddFunc; removed false`,
		`t.pods in Tidy.Register by "Register" after 0 calls, from obj of UpdateFunc; removed true`,
		`c.done in controller.finish by "" after 1 calls, from obj of UpdateFunc; removed true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestTorn checks the reads of what a handler sets to nil.
func TestTorn(t *testing.T) {
	results := passtest.Run[*retained.Retentions](t, retained.Analyzer, "../../../../testdata", "./cacheretention/torn")
	torn := results["github.com/opvet/opvet/testdata/cacheretention/torn"].Value.Torn
	if len(torn) != 1 || torn[0].Name != "m.secret" || torn[0].Reader.Name() != "Token" {
		t.Errorf("got %v, want the one of manager", torn)
	}
}

package controllers_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestKnative reads controllers of knative's.
func TestKnative(t *testing.T) {
	dir := passtest.Knative(t, "../../../testdata", "testdata/knative.txtar")
	var got []string
	for _, result := range passtest.Run[*controllers.Result](t, controllers.Analyzer, dir, "./setups") {
		for _, c := range result.Value.Made().Controllers {
			got = append(got, string(c.Framework)+" "+words(c))
		}
	}
	slices.Sort(got)
	want := []string{
		"knative Keys keys: for Pod self, raw ? custom; workers 2",
		"knative Labels: for Service self; workers 5",
		"knative Services services: for Service self, owns ConfigMap owner of Service if FilterController, raw ? custom, " +
			"watches Endpoints mapped, watches Node custom sometimes, watches Secret mapped; workers 2; " +
			"addFinalizer Service, create ConfigMap, delete ConfigMap, removeFinalizer Service, update Service",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

package ctxdone

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/blockedsends"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/openwatches"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

// onlySendsAndWatches switches the other categories off: their testdata is
// elsewhere.
func onlySendsAndWatches(t *testing.T) {
	t.Helper()
	all := checks
	checks = []func(*subject.Unit){blockedsends.Report, openwatches.Report}
	t.Cleanup(func() { checks = all })
}

// doubtful turns on the variants that only the strict flag reports.
func doubtful(t *testing.T) {
	t.Helper()
	strict := Analyzer.Flags.Lookup("strict")
	old := strict.Value.String()
	if err := strict.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := strict.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBlockingSend(t *testing.T) {
	onlySendsAndWatches(t)
	ruletest.Run(t, "../../testdata", Analyzer, "./ctxdone/send", "./ctxdone/send/once", "./ctxdone/send/consume")
}

func TestBlockingSendStrict(t *testing.T) {
	onlySendsAndWatches(t)
	doubtful(t)
	ruletest.Run(t, "../../testdata", Analyzer, "./ctxdone/send/strict")
}

func TestWatch(t *testing.T) {
	onlySendsAndWatches(t)
	ruletest.Run(t, "../../testdata", Analyzer, "./ctxdone/watch")
}

func TestWatchStrict(t *testing.T) {
	onlySendsAndWatches(t)
	doubtful(t)
	ruletest.Run(t, "../../testdata", Analyzer, "./ctxdone/watch/strict")
}

func TestSendsAndWatchesLegacy(t *testing.T) {
	onlySendsAndWatches(t)
	ruletest.Run(t, "../../testdata/legacy", Analyzer, "./ctxdone/send", "./ctxdone/watch")
}

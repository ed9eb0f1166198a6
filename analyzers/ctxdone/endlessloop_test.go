package ctxdone

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/endlessloops"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

// onlyEndlessLoops switches the other categories off: their testdata is
// elsewhere.
func onlyEndlessLoops(t *testing.T) {
	t.Helper()
	all := checks
	checks = []func(*subject.Unit){endlessloops.Report}
	t.Cleanup(func() { checks = all })
}

func TestEndlessLoops(t *testing.T) {
	onlyEndlessLoops(t)
	ruletest.Run(t, "../../testdata", Analyzer, "./ctxdone/loop/...")
}

func TestEndlessLoopsLegacy(t *testing.T) {
	onlyEndlessLoops(t)
	ruletest.Run(t, "../../testdata/legacy", Analyzer, "./ctxdone/loop/...")
}

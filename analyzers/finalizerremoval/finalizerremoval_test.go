package finalizerremoval_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/finalizerremoval"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", finalizerremoval.Analyzer, ruletest.Folders(t, "../../testdata", "finalizerremoval", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	f := finalizerremoval.Analyzer.Flags.Lookup("strict")
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set("false") })
	ruletest.Run(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", finalizerremoval.Analyzer, "./finalizerremoval/...")
}

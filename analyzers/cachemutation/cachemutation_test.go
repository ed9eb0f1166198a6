package cachemutation_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cachemutation"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cachemutation.Analyzer, ruletest.Folders(t, "../../testdata", "cachemutation", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, cachemutation.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", cachemutation.Analyzer, "./cachemutation/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", cachemutation.Analyzer, "./cachemutation/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", cachemutation.Analyzer, "./cachemutation/...")
}

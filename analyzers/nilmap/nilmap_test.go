package nilmap_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/nilmap"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", nilmap.Analyzer, ruletest.Folders(t, "../../testdata", "nilmap", "fix", "filled", "read")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, nilmap.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", nilmap.Analyzer, "./nilmap/filled", "./nilmap/read/...", "./nilmap/traps")
}

func TestFix(t *testing.T) {
	ruletest.SetFlag(t, nilmap.Analyzer, "strict", "true")
	ruletest.RunWithSuggestedFixes(t, "../../testdata", nilmap.Analyzer, "./nilmap/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.SetFlag(t, nilmap.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata/legacy", nilmap.Analyzer, "./nilmap/...")
}

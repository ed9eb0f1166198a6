package semanticequal_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/semanticequal"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", semanticequal.Analyzer, ruletest.Folders(t, "../../testdata", "semanticequal", "strict", "fix")...)
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", semanticequal.Analyzer, "./semanticequal/fix")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, semanticequal.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", semanticequal.Analyzer, "./semanticequal/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", semanticequal.Analyzer, "./semanticequal/...")
}

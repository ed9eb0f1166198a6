package reconcileresult_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/reconcileresult"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", reconcileresult.Analyzer, ruletest.Folders(t, "../../testdata", "reconcileresult", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, reconcileresult.Analyzer, "strict", "true")
	ruletest.RunWithSuggestedFixes(t, "../../testdata", reconcileresult.Analyzer, "./reconcileresult/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", reconcileresult.Analyzer, "./reconcileresult/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", reconcileresult.Analyzer, "./reconcileresult/...")
}

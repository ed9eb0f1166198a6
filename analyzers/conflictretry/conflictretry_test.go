package conflictretry_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/conflictretry"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", conflictretry.Analyzer, ruletest.Folders(t, "../../testdata", "conflictretry", "fix")...)
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", conflictretry.Analyzer, "./conflictretry/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", conflictretry.Analyzer, "./conflictretry/...")
}

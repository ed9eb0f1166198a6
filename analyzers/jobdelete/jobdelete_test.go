package jobdelete_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/jobdelete"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", jobdelete.Analyzer, ruletest.Folders(t, "../../testdata", "jobdelete", "fix")...)
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", jobdelete.Analyzer, "./jobdelete/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", jobdelete.Analyzer, "./jobdelete/...")
}

package ctxdone_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/ctxdone"
)

func TestSleep(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/sleep/...")
}

func TestSleepLegacy(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata/legacy", ctxdone.Analyzer, "./ctxdone/sleep/...")
}

package ctxdone_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ctxdone"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestSleep(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/sleep/...")
}

func TestSleepLegacy(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata/legacy", ctxdone.Analyzer, "./ctxdone/sleep/...")
}

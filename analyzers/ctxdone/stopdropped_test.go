package ctxdone_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ctxdone"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestStopDropped(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/stopdropped/...")
}

func TestStopDroppedLegacy(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata/legacy", ctxdone.Analyzer, "./ctxdone/stopdropped/...")
}

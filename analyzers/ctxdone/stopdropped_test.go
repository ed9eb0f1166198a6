package ctxdone_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/ctxdone"
)

func TestStopDropped(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/stopdropped/...")
}

func TestStopDroppedLegacy(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata/legacy", ctxdone.Analyzer, "./ctxdone/stopdropped/...")
}

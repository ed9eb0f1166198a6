package ctxdone_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/ctxdone"
)

func TestHTTP(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/http/...")
}

package ctxdone_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ctxdone"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestHTTP(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", ctxdone.Analyzer, "./ctxdone/http/...")
}

package cachemutation_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cachemutation"
	"github.com/opvet/opvet/internal/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cachemutation.Analyzer, ruletest.Folders(t, "../../testdata", "cachemutation", "fix", "strict")...)
}

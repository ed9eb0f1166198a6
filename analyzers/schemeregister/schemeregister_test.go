package schemeregister_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/schemeregister"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", schemeregister.Analyzer, "./schemeregister/...")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", schemeregister.Analyzer, "./schemeregister/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", schemeregister.Analyzer, "./schemeregister/...")
}

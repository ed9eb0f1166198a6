package deletiontimestamp_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/deletiontimestamp"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", deletiontimestamp.Analyzer,
		"./deletiontimestamp/cases", "./deletiontimestamp/lib", "./deletiontimestamp/predicates")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", deletiontimestamp.Analyzer, "./deletiontimestamp/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", deletiontimestamp.Analyzer, "./deletiontimestamp/...")
}

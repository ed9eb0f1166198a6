package deletiontimestamp_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/deletiontimestamp"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", deletiontimestamp.Analyzer,
		"./deletiontimestamp/cases", "./deletiontimestamp/lib", "./deletiontimestamp/predicates")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", deletiontimestamp.Analyzer, "./deletiontimestamp/fix")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", deletiontimestamp.Analyzer, "./deletiontimestamp/...")
}

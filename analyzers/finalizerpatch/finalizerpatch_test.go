package finalizerpatch_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/finalizerpatch"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", finalizerpatch.Analyzer,
		"./finalizerpatch/unlocked", "./finalizerpatch/raw", "./finalizerpatch/helpers")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", finalizerpatch.Analyzer, "./finalizerpatch/fix")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", finalizerpatch.Analyzer, "./finalizerpatch/...")
}

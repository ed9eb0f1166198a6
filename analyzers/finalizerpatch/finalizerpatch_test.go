package finalizerpatch_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/finalizerpatch"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", finalizerpatch.Analyzer,
		"./finalizerpatch/unlocked", "./finalizerpatch/raw", "./finalizerpatch/helpers")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", finalizerpatch.Analyzer, "./finalizerpatch/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", finalizerpatch.Analyzer, "./finalizerpatch/...")
}

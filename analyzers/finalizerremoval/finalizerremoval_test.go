package finalizerremoval_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/finalizerremoval"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", finalizerremoval.Analyzer, ruletest.Folders(t, "../../testdata", "finalizerremoval", "fix", "strict", "ignored", "owned", "persisted", "stuck")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, finalizerremoval.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/strict", "./finalizerremoval/ignored", "./finalizerremoval/owned", "./finalizerremoval/persisted", "./finalizerremoval/stuck")
}

func TestFix(t *testing.T) {
	ruletest.SetFlag(t, finalizerremoval.Analyzer, "strict", "true")
	ruletest.RunWithSuggestedFixes(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.SetFlag(t, finalizerremoval.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata/legacy", finalizerremoval.Analyzer, "./finalizerremoval/...")
}

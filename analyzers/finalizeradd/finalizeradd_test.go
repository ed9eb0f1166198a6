package finalizeradd_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/finalizeradd"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", finalizeradd.Analyzer,
		"./finalizeradd/deleting", "./finalizeradd/watched", "./finalizeradd/watcheddeleting",
		"./finalizeradd/names/...", "./finalizeradd/owned", "./finalizeradd/stuck", "./finalizeradd/helpers", "./finalizeradd/made")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, finalizeradd.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", finalizeradd.Analyzer, "./finalizeradd/strict", "./finalizeradd/persisted")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", finalizeradd.Analyzer, "./finalizeradd/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.SetFlag(t, finalizeradd.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata/legacy", finalizeradd.Analyzer, "./finalizeradd/...")
}

package tombstone_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/tombstone"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", tombstone.Analyzer, ruletest.Folders(t, "../../testdata", "tombstone", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, tombstone.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", tombstone.Analyzer, "./tombstone/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", tombstone.Analyzer, "./tombstone/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", tombstone.Analyzer, "./tombstone/...")
}

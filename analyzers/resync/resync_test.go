package resync_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/resync"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", resync.Analyzer, ruletest.Folders(t, "../../testdata", "resync", "strict", "min")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, resync.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", resync.Analyzer, "./resync/strict")
}

func TestMin(t *testing.T) {
	ruletest.SetFlag(t, resync.Analyzer, "min", "10m")
	ruletest.Run(t, "../../testdata", resync.Analyzer, "./resync/min")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", resync.Analyzer, "./resync/...")
}

package cachesync_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cachesync"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cachesync.Analyzer, ruletest.Folders(t, "../../testdata", "cachesync", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, cachesync.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", cachesync.Analyzer, "./cachesync/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", cachesync.Analyzer, "./cachesync/...")
}

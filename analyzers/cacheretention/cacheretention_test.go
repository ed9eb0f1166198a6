package cacheretention_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cacheretention"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cacheretention.Analyzer, ruletest.Folders(t, "../../testdata", "cacheretention", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, cacheretention.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", cacheretention.Analyzer, "./cacheretention/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", cacheretention.Analyzer, "./cacheretention/...")
}

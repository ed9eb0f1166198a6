package cachewrite_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cachewrite"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cachewrite.Analyzer, ruletest.Folders(t, "../../testdata", "cachewrite", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, cachewrite.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", cachewrite.Analyzer, "./cachewrite/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", cachewrite.Analyzer, "./cachewrite/...")
}

package informerlifecycle_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/informerlifecycle"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", informerlifecycle.Analyzer, ruletest.Folders(t, "../../testdata", "informerlifecycle", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, informerlifecycle.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", informerlifecycle.Analyzer, "./informerlifecycle/strict", "./informerlifecycle/shutdown")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", informerlifecycle.Analyzer, "./informerlifecycle/...")
}

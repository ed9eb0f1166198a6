package gcfinalizer_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/gcfinalizer"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", gcfinalizer.Analyzer, "./gcfinalizer/...")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", gcfinalizer.Analyzer, "./gcfinalizer/...")
}

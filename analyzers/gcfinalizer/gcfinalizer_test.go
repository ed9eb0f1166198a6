package gcfinalizer_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/gcfinalizer"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", gcfinalizer.Analyzer, "./gcfinalizer/...")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", gcfinalizer.Analyzer, "./gcfinalizer/...")
}

package tombstones_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/internal/tombstones"
)

// TestFacts looks at what functions tell other packages. How losses are found
// is tested by the analyzer that asks for them.
func TestFacts(t *testing.T) {
	analysistest.Run(t, "../../testdata", tombstones.Analyzer, "./passes/tombstones")
}

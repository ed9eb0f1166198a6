package handlers_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
)

// TestFacts looks at what functions tell other packages. How losses are found
// is tested by the analyzer that asks for them.
func TestFacts(t *testing.T) {
	analysistest.Run(t, "../../../../testdata", handlers.Analyzer, "./passes/tombstones")
}

package goroutines_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/internal/passes/goroutines"
)

// TestFacts looks at what functions tell other packages about the goroutines
// that they leave behind. How leaks are told from what is bounded is tested by
// the analyzers that ask.
func TestFacts(t *testing.T) {
	analysistest.Run(t, "../../../testdata", goroutines.Analyzer, "./concurrency")
}

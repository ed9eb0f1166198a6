package goroutines_test

import (
	"testing"

	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestFacts looks at what functions tell other packages about the goroutines
// that they leave behind. How leaks are told from what is bounded is tested by
// the analyzers that ask.
func TestFacts(t *testing.T) {
	passtest.Facts(t, goroutines.Analyzer, "../../../testdata", "./concurrency")
}

package handlers_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestFacts looks at what functions tell other packages. How losses are found
// is tested by the analyzer that asks for them.
func TestFacts(t *testing.T) {
	passtest.Facts(t, handlers.Analyzer, "../../../../testdata", "./passes/tombstones")
}

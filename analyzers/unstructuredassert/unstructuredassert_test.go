package unstructuredassert_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/unstructuredassert"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", unstructuredassert.Analyzer, ruletest.Folders(t, "../../testdata", "unstructuredassert", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, unstructuredassert.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", unstructuredassert.Analyzer, "./unstructuredassert/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", unstructuredassert.Analyzer, "./unstructuredassert/...")
}

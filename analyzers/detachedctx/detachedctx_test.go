package detachedctx_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/detachedctx"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", detachedctx.Analyzer,
		"./detachedctx/ignored", "./detachedctx/fields", "./detachedctx/helpers/...", "./detachedctx/launders", "./detachedctx/escapes")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", detachedctx.Analyzer, "./detachedctx/fix")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", detachedctx.Analyzer, "./detachedctx/...")
}

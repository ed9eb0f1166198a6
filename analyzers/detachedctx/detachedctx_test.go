package detachedctx_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/detachedctx"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", detachedctx.Analyzer,
		"./detachedctx/ignored", "./detachedctx/fields", "./detachedctx/helpers/...", "./detachedctx/launders", "./detachedctx/abstract/...", "./detachedctx/waits", "./detachedctx/lead", "./detachedctx/maker/...", "./detachedctx/process/...")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, detachedctx.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", detachedctx.Analyzer, "./detachedctx/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", detachedctx.Analyzer, "./detachedctx/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", detachedctx.Analyzer, "./detachedctx/...")
}

package restconfig_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/restconfig"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", restconfig.Analyzer, "./restconfig/cases", "./restconfig/right", "./restconfig/helpers/...", "./restconfig/fix")
}

func TestStrict(t *testing.T) {
	f := restconfig.Analyzer.Flags.Lookup("strict")
	old := f.Value.String()
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	}()
	ruletest.Run(t, "../../testdata", restconfig.Analyzer, "./restconfig/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", restconfig.Analyzer, "./restconfig/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", restconfig.Analyzer, "./restconfig/...")
}

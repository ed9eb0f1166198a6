package ownerref_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ownerref"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", ownerref.Analyzer, "./ownerref/cases", "./ownerref/setups", "./ownerref/lib", "./ownerref/cleaned", "./ownerref/api", "./ownerref/handed/...")
}

func TestStrict(t *testing.T) {
	f := ownerref.Analyzer.Flags.Lookup("strict")
	old := f.Value.String()
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	}()
	ruletest.Run(t, "../../testdata", ownerref.Analyzer, "./ownerref/strict")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", ownerref.Analyzer, "./ownerref/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", ownerref.Analyzer, "./ownerref/...")
}

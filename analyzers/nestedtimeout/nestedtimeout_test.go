package nestedtimeout_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/nestedtimeout"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", nestedtimeout.Analyzer, ruletest.Folders(t, "../../testdata", "nestedtimeout", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	flag := nestedtimeout.Analyzer.Flags.Lookup("strict")
	if err := flag.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Value.Set("false"); err != nil {
			t.Fatal(err)
		}
	})
	ruletest.Run(t, "../../testdata", nestedtimeout.Analyzer, "./nestedtimeout/strict", "./nestedtimeout/crosspkg/lib")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", nestedtimeout.Analyzer, "./nestedtimeout/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", nestedtimeout.Analyzer, "./nestedtimeout/...")
}

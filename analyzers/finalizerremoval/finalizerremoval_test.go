package finalizerremoval_test

import (
	"os"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/finalizerremoval"
)

func TestCurrent(t *testing.T) {
	entries, err := os.ReadDir("../../testdata/finalizerremoval")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, entry := range entries {
		switch entry.Name() {
		case "fix", "strict": // tests of their own
		default:
			patterns = append(patterns, "./finalizerremoval/"+entry.Name()+"/...")
		}
	}
	analysistest.Run(t, "../../testdata", finalizerremoval.Analyzer, patterns...)
}

func TestStrict(t *testing.T) {
	f := finalizerremoval.Analyzer.Flags.Lookup("strict")
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set("false") })
	analysistest.Run(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/strict")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", finalizerremoval.Analyzer, "./finalizerremoval/fix")
}

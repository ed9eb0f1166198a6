package finalizeradd_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/finalizeradd"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", finalizeradd.Analyzer,
		"./finalizeradd/deleting", "./finalizeradd/watched", "./finalizeradd/watcheddeleting", "./finalizeradd/persisted",
		"./finalizeradd/names/...", "./finalizeradd/aftercreate", "./finalizeradd/helpers")
}

func TestStrict(t *testing.T) {
	setFlag(t, "strict", "true")
	analysistest.Run(t, "../../testdata", finalizeradd.Analyzer, "./finalizeradd/strict")
}

func TestFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../../testdata", finalizeradd.Analyzer, "./finalizeradd/fix")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", finalizeradd.Analyzer, "./finalizeradd/...")
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := finalizeradd.Analyzer.Flags.Lookup(name)
	old := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	})
}

package statusupdate_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers/statusupdate"
	"github.com/opvet/opvet/internal/ruletest"
)

func TestCurrent(t *testing.T) {
	entries, err := os.ReadDir("../../testdata/statusupdate")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, entry := range entries {
		switch entry.Name() {
		case "fix", "strict", "manifests": // tests of their own
		default:
			patterns = append(patterns, "./statusupdate/"+entry.Name()+"/...")
		}
	}
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, patterns...)
}

func TestStrict(t *testing.T) {
	setFlag(t, "strict", "true")
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/strict")
}

func TestManifests(t *testing.T) {
	setFlag(t, "crds", "statusupdate/manifests/crds")
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/manifests")
}

func TestMissingManifests(t *testing.T) {
	setFlag(t, "crds", "no/such/folder")
	var failed failures
	ruletest.Run(&failed, "../../testdata", statusupdate.Analyzer, "./statusupdate/manifests")
	if !strings.Contains(strings.Join(failed, "\n"), "statusupdate.crds: no folder no/such/folder") {
		t.Errorf("a missing folder is not reported: %q", failed)
	}
}

// failures collects what ruletest has to say.
type failures []string

func (f *failures) Errorf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/fix")
}

func setFlag(t *testing.T, name, value string) {
	t.Helper()
	f := statusupdate.Analyzer.Flags.Lookup(name)
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

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", statusupdate.Analyzer, "./statusupdate/...")
}

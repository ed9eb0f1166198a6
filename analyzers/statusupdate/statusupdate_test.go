package statusupdate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers/statusupdate"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, ruletest.Folders(t, "../../testdata", "statusupdate", "fix", "strict", "manifests")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, statusupdate.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/strict")
}

func TestManifests(t *testing.T) {
	ruletest.SetFlag(t, statusupdate.Analyzer, "crds", "statusupdate/manifests/crds")
	ruletest.Run(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/manifests")
}

func TestMissingManifests(t *testing.T) {
	ruletest.SetFlag(t, statusupdate.Analyzer, "crds", "no/such/folder")
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

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", statusupdate.Analyzer, "./statusupdate/...")
}

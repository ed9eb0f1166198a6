package rbac_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/rbac"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", rbac.Analyzer, ruletest.Folders(t, "../../testdata", "rbac", "switched")...)
}

// TestSwitched has what depends on flags, as far as manifests give them.
func TestSwitched(t *testing.T) {
	ruletest.Run(t, "../../testdata", rbac.Analyzer, "./rbac/switched/...")
}

// TestLegacy has a program of several packages: findings stand at the calls.
func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", rbac.Analyzer, "./rbac/...")
}

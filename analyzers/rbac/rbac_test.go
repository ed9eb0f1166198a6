package rbac_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/rbac"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", rbac.Analyzer, ruletest.Folders(t, "../../testdata", "rbac")...)
}

// TestLegacy has a program of several packages: findings stand at the calls.
func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", rbac.Analyzer, "./rbac/...")
}

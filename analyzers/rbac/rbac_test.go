package rbac_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/rbac"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", rbac.Analyzer, ruletest.Folders(t, "../../testdata", "rbac")...)
}

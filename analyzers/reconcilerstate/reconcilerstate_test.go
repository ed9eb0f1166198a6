package reconcilerstate_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/reconcilerstate"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", reconcilerstate.Analyzer, "./reconcilerstate/cases")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, reconcilerstate.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", reconcilerstate.Analyzer, "./reconcilerstate/strict")
}

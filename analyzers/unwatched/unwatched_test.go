package unwatched_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/unwatched"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", unwatched.Analyzer, "./unwatched/cases")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, unwatched.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", unwatched.Analyzer, "./unwatched/strict")
}

package eventfilter_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/eventfilter"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", eventfilter.Analyzer, "./eventfilter/cases", "./eventfilter/lib")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, eventfilter.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", eventfilter.Analyzer, "./eventfilter/strict")
}

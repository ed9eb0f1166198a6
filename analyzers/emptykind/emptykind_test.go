package emptykind_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/emptykind"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", emptykind.Analyzer, ruletest.Folders(t, "../../testdata", "emptykind", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, emptykind.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", emptykind.Analyzer, "./emptykind/strict")
}

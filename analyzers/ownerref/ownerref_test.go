package ownerref_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/ownerref"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", ownerref.Analyzer, "./ownerref/cases", "./ownerref/setups", "./ownerref/lib", "./ownerref/cleaned", "./ownerref/api")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, ownerref.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", ownerref.Analyzer, "./ownerref/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", ownerref.Analyzer, "./ownerref/...")
}

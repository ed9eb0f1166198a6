package updateunread_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/updateunread"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", updateunread.Analyzer, ruletest.Folders(t, "../../testdata", "updateunread", "strict")...)
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, updateunread.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", updateunread.Analyzer, "./updateunread/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", updateunread.Analyzer, "./updateunread/...")
}

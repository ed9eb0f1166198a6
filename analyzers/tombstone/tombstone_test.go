package tombstone_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/tombstone"
	"github.com/opvet/opvet/internal/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", tombstone.Analyzer, ruletest.Folders(t, "../../testdata", "tombstone", "fix", "strict")...)
}

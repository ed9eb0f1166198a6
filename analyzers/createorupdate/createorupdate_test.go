package createorupdate_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/createorupdate"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", createorupdate.Analyzer, ruletest.Folders(t, "../../testdata", "createorupdate")...)
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", createorupdate.Analyzer, "./createorupdate/...")
}

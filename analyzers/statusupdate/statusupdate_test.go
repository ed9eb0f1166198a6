package statusupdate_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/statusupdate"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", statusupdate.Analyzer, "./statusupdate/...")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", statusupdate.Analyzer, "./statusupdate/...")
}

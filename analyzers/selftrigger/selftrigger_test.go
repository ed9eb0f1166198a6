package selftrigger_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/selftrigger"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", selftrigger.Analyzer, "./selftrigger/cases")
}

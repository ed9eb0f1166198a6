package emptykind_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/emptykind"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", emptykind.Analyzer, "./emptykind/...")
}

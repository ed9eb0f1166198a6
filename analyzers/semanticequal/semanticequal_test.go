package semanticequal_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/semanticequal"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", semanticequal.Analyzer, "./semanticequal/...")
}

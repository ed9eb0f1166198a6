package maporder_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/maporder"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", maporder.Analyzer, "./maporder/...")
}

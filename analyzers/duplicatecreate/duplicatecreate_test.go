package duplicatecreate_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/duplicatecreate"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", duplicatecreate.Analyzer, "./duplicatecreate/...")
}

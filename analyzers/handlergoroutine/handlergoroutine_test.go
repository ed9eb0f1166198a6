package handlergoroutine_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/handlergoroutine"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", handlergoroutine.Analyzer, "./handlergoroutine/...")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", handlergoroutine.Analyzer, "./handlergoroutine/...")
}

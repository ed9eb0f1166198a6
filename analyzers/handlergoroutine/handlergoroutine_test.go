package handlergoroutine_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/opvet/opvet/analyzers/handlergoroutine"
)

func TestCurrent(t *testing.T) {
	analysistest.Run(t, "../../testdata", handlergoroutine.Analyzer, "./handlergoroutine/...")
}

func TestLegacy(t *testing.T) {
	analysistest.Run(t, "../../testdata/legacy", handlergoroutine.Analyzer, "./handlergoroutine/...")
}

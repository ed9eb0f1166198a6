package reconcileclient_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/reconcileclient"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", reconcileclient.Analyzer, "./reconcileclient/...")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", reconcileclient.Analyzer, "./reconcileclient/...")
}

package workqueue_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/workqueue"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", workqueue.Analyzer, "./workqueue/mistakes", "./workqueue/right/...", "./workqueue/helpers/...")
}

func TestFixes(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", workqueue.Analyzer, "./workqueue/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", workqueue.Analyzer, "./workqueue/...")
}

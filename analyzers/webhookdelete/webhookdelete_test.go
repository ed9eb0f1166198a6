package webhookdelete_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/webhookdelete"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", webhookdelete.Analyzer, "./webhookdelete/...")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", webhookdelete.Analyzer, "./webhookdelete/...")
}

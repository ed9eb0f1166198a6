package duplicatecreate_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/duplicatecreate"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", duplicatecreate.Analyzer, "./duplicatecreate/...")
	if t.Failed() {
		t.Log("write the rule in duplicatecreate.go, until it finds what testdata/duplicatecreate wants; then remove this note")
	}
}

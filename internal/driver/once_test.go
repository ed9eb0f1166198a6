package driver

import (
	"go/token"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

func TestOneCauseIsToldOnce(t *testing.T) {
	at := func(file string, cause string, harm rule.Harm) Finding {
		return Finding{Analyzer: brackets, Posn: token.Position{Filename: "/m/" + file, Line: 3}, Diagnostic: analysis.Diagnostic{Category: "bad"}, Cause: cause, Harm: harm}
	}
	r := &Result{Findings: []Finding{
		at("a/a.go", "c/c.go:7", rule.Loss), at("b/b.go", "c/c.go:7", rule.Loss), at("b/other.go", "c/c.go:9", rule.Loss),
		at("c/c.go", "", rule.Loss), at("d/d.go", "", rule.Loss),
	}}
	r.tellOnce()
	if len(r.Findings) != 4 || len(r.Harmless) != 1 {
		t.Fatalf("%d findings and %d harmless ones, want 4 and 1", len(r.Findings), len(r.Harmless))
	}
	if f := r.Harmless[0]; f.Harm != rule.Hygiene || f.Settled != "a.go:3 has the same cause" {
		t.Errorf("the second is %v, %q", f.Harm, f.Settled)
	}
}

package nogo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// TestFailure sees to it that nogo gets neither panics nor errors: it would
// throw away all findings and facts of the package.
func TestFailure(t *testing.T) {
	shared := &analysis.Analyzer{Name: "shared", Doc: "s", Run: func(*analysis.Pass) (any, error) { panic("it breaks") }}
	newRule := func(name string, requires ...*analysis.Analyzer) *analysis.Analyzer {
		return rule.New(rule.Spec{
			Name: name, Summary: "s", DocSource: "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
			Categories: []rule.Category{{Name: "found", Harm: rule.Loss}}, Requires: requires, Anywhere: true,
			Run: func(pass *analysis.Pass, report *rule.Reporter) error {
				report.Report(rule.Finding{Pos: pass.Files[0].Name.Pos(), Category: "found", Message: "here"})
				return nil
			},
		})
	}
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte("package p\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := (&unit{path: "example.com/p", files: []string{file}}).run([]*analysis.Analyzer{newRule("broken", shared), newRule("well")})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.findings) != 2 || out.findings[0].analyzer.Name != "broken" ||
		!strings.Contains(out.findings[0].diagnostic.Message, "package example.com/p is not analysed in full because shared failed: panic: it breaks") ||
		out.findings[1].diagnostic.Message != "here (well/found)" {
		t.Errorf("found %v", out.findings)
	}
}

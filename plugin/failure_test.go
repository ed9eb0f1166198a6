package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/report/rule"
)

// TestFailures runs the linter as golangci-lint does, which throws away what all
// linters have found if one analyzer panics or returns an error.
func TestFailures(t *testing.T) {
	shared := &analysis.Analyzer{Name: "shared", Doc: "s", Run: func(*analysis.Pass) (any, error) { panic("it breaks") }}
	newRule := func(name string, requires []*analysis.Analyzer, run func(*analysis.Pass, *rule.Reporter)) *analysis.Analyzer {
		return rule.New(rule.Spec{
			Name: name, Summary: "s", DocSource: "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
			Categories: []rule.Category{{Name: "found", Harm: rule.Loss}}, Requires: requires, Anywhere: true,
			Run: func(pass *analysis.Pass, report *rule.Reporter) error {
				run(pass, report)
				return nil
			},
		})
	}
	finds := func(pass *analysis.Pass, report *rule.Reporter) {
		report.Report(rule.Finding{Pos: pass.Files[0].Name.Pos(), Category: "found", Message: "here"})
	}
	breaks := func(pass *analysis.Pass, report *rule.Reporter) {
		finds(pass, report)
		panic("so does this")
	}
	suite := []*analysis.Analyzer{
		newRule("one", []*analysis.Analyzer{shared}, finds), newRule("two", []*analysis.Analyzer{shared}, finds),
		newRule("broken", nil, breaks), newRule("well", nil, finds),
	}
	suite = append(suite, newRule("overseer", suite[:len(suite):len(suite)], finds), newRule("excluded", nil, finds))
	excluding, err := config.OfSettings(suite, map[string]any{"exclude": []any{
		map[string]any{"path": "**/m.go", "rules": []any{"excluded"}, "reason": "for the test"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	linter, err := (&plugin{suite, excluding}).BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": "package m\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir}, ".")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := checker.Analyze(linter, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for act := range graph.All() {
		if act.Err != nil {
			t.Errorf("%s: %v", act, act.Err)
		}
	}
	var got []string
	for _, d := range graph.Roots[0].Diagnostics {
		text, _, _ := strings.Cut(d.Message, "; please report")
		got = append(got, text)
	}
	want := []string{
		"package example.com/m is not analysed in full because shared failed: panic: it breaks",
		"package example.com/m is not analysed in full because broken failed: panic: so does this",
		"here (well/found)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("reported\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

const root = "../../.."

func TestDocumentationIsUpToDate(t *testing.T) {
	files, err := everything(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || string(got) != want {
			t.Errorf("%s is out of date: run make docs", name)
		}
	}
	stale, err := stalePages(root, files)
	if err != nil || len(stale) > 0 {
		t.Errorf("pages without an analyzer: %v, %v; run make docs", stale, err)
	}
}

func TestPageHasAnAnchorForEachCategory(t *testing.T) {
	suite := append(analyzers.All(), rule.New(rule.Spec{
		Name: "sample", Summary: "a | b", Group: "test", Since: "v0.1.0",
		DocSource:  "// Package sample is for tests.\n//\n// What it finds.\n//\n// # told\n//\n//\tcode()\npackage sample\n",
		Categories: []rule.Category{{Name: "told", Summary: "is in the text", Harm: rule.Loss, Fix: true}, {Name: "untold", Summary: "is not", Harm: rule.Loss, Strict: true}},
	}))
	for _, a := range suite {
		text := page(a)
		for _, c := range rule.Of(a).Categories {
			if n := strings.Count(text, "\n## "+c.Name+"\n"); n != 1 {
				t.Errorf("%s: %d headings %q, want 1", a.Name, n, c.Name)
			}
		}
	}
	text := page(suite[len(suite)-1])
	for _, want := range []string{"## told\n\n```go\ncode()\n```\n", "## untold\n\nIs not.", "| [told](#told) | is in the text | [loss](README.md#harm) | has a fix |", "only with the strict flag", "| `-sample.strict` | `false` |"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if row := table([]*analysis.Analyzer{suite[len(suite)-1]}); !strings.Contains(row, `a \| b`) {
		t.Errorf("table %s", row)
	}
}

func TestReadmeWithoutTable(t *testing.T) {
	if _, err := generate(nil, "no table here"); err == nil {
		t.Error("no error")
	}
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

const (
	golangciName = "docs/golangci-lint.md"

	severityBegin = "<!-- severity: written by make docs -->\n"
	severityEnd   = "<!-- /severity -->\n"
)

// severities has the severities of golangci-lint's rules, with the harms that
// they stand for.
var severities = []struct {
	name  string
	harms []rule.Harm
}{
	{"error", []rule.Harm{rule.Crash, rule.Loss, rule.Stuck}},
	{"warning", []rule.Harm{rule.Leak, rule.Load}},
}

// golangciPage replaces the example of severity rules in a page.
func golangciPage(suite []*analysis.Analyzer, page string) (string, error) {
	var b strings.Builder
	b.WriteString("```yaml\nseverity:\n  default: '@linter'\n  rules:\n")
	for _, s := range severities {
		fmt.Fprintf(&b, "    - linters: [opvet]\n      severity: %s\n      text: '\\((%s)\\)$'\n", s.name, categoriesOf(suite, s.harms))
	}
	b.WriteString("```\n")
	return between(golangciName, page, severityBegin, severityEnd, b.String())
}

// categoriesOf is a regular expression for the categories with one of the harms.
func categoriesOf(suite []*analysis.Analyzer, harms []rule.Harm) string {
	var alternatives []string
	for _, a := range suite {
		var names []string
		categories := rule.Of(a).Categories
		for _, c := range categories {
			if slices.Contains(harms, c.Harm) {
				names = append(names, c.Name)
			}
		}
		switch {
		case len(names) == 0:
		case len(names) == len(categories):
			alternatives = append(alternatives, a.Name+"/.*")
		default:
			alternatives = append(alternatives, fmt.Sprintf("%s/(%s)", a.Name, strings.Join(names, "|")))
		}
	}
	return strings.Join(alternatives, "|")
}

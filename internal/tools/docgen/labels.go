package main

import (
	"flag"
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const (
	bazelName = "docs/bazel.md"

	labelsBegin = "<!-- labels: written by make docs -->\n"
	labelsEnd   = "<!-- /labels -->\n"
)

// bazelPage returns the page about Bazel with its table of labels replaced.
func bazelPage(suite []*analysis.Analyzer, page string) (string, error) {
	return between(bazelName, page, labelsBegin, labelsEnd, labels(suite))
}

// labels lists what Bazel calls the analyzers, and what analyzer_flags knows.
func labels(suite []*analysis.Analyzer) string {
	var b strings.Builder
	b.WriteString("| analyzer | label | flags |\n| --- | --- | --- |\n")
	for _, a := range suite {
		var flags []string
		a.Flags.VisitAll(func(f *flag.Flag) { flags = append(flags, "`"+f.Name+"`") })
		fmt.Fprintf(&b, "| [%s](analyzers/%s.md) | `@com_github_opvet_opvet//analyzers/%s` | %s |\n",
			a.Name, a.Name, a.Name, strings.Join(flags, ", "))
	}
	return b.String()
}

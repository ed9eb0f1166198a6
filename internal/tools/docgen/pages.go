package main

import (
	"flag"
	"fmt"
	"go/doc/comment"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/ruledoc"
)

const (
	readmeName = "README.md"
	pagesDir   = "docs/analyzers"

	groupsBegin = "<!-- groups: written by make docs -->\n"
	groupsEnd   = "<!-- /groups -->\n"
)

// generate returns the generated files by their name from the repository's
// root: the pages, and the README with its table replaced.
func generate(suite []*analysis.Analyzer, readme string) (map[string]string, error) {
	files := map[string]string{filepath.Join(pagesDir, "README.md"): index(suite)}
	for _, a := range suite {
		files[filepath.Join(pagesDir, a.Name+".md")] = page(a)
	}
	text, err := between(readmeName, readme, groupsBegin, groupsEnd, groups(suite))
	if err != nil {
		return nil, err
	}
	files[readmeName] = text
	return files, nil
}

// between replaces what a file has between two marks.
func between(name, text, begin, end, by string) (string, error) {
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("%s has nothing between %q and %q", name, begin, end)
	}
	return before + begin + "\n" + by + "\n" + end + after, nil
}

// groups lists the groups, each with its analyzers.
func groups(suite []*analysis.Analyzer) string {
	members := make(map[string][]string)
	for _, a := range suite {
		group := rule.Of(a).Group
		members[group] = append(members[group], fmt.Sprintf("[%s](%s/%s.md)", a.Name, pagesDir, a.Name))
	}
	var b strings.Builder
	for _, group := range slices.Sorted(maps.Keys(members)) {
		fmt.Fprintf(&b, "- **%s**: %s\n", group, strings.Join(members[group], ", "))
	}
	return b.String()
}

const generated = "<!-- Written by make docs from the analyzer's source; do not edit. -->\n\n"

// page is the page of one analyzer. Each category has a heading of its own
// name, since findings link there.
func page(a *analysis.Analyzer) string {
	spec := rule.Of(a)
	var b strings.Builder
	b.WriteString(generated)
	fmt.Fprintf(&b, "# %s\n\n", a.Name)
	fmt.Fprintf(&b, "*%s* · group %s · since %s\n\n", spec.Summary, spec.Group, spec.Since)

	b.WriteString("| category | finds | harm | |\n| --- | --- | --- | --- |\n")
	for _, c := range spec.Categories {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | [%s](README.md#harm) | %s |\n", c.Name, c.Name, cell(c.Summary), c.Harm, strings.Join(remarks(c), ", "))
	}

	doc := ruledoc.Parse(a)
	headings := make(map[string]bool)
	for _, block := range doc.Content {
		if h, ok := block.(*comment.Heading); ok {
			headings[ruledoc.HeadingText(h)] = true
		}
	}
	b.WriteString("\n" + ruledoc.Markdown(doc))
	for _, c := range spec.Categories {
		if !headings[c.Name] {
			fmt.Fprintf(&b, "\n## %s\n\n%s.\n", c.Name, capital(c.Summary))
		}
	}

	if len(spec.Excuses) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", rule.LeftAlone, rule.AboutLeftAlone)
		for _, reason := range spec.Excuses {
			fmt.Fprintf(&b, "- **%s**: %s\n", reason.Name, reason.Doc)
		}
	}

	b.WriteString("\n## Flags\n\n| flag | default | |\n| --- | --- | --- |\n")
	a.Flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := "-" + a.Name + "." + f.Name
		if value != "" {
			name += " " + value
		}
		def := ""
		if f.DefValue != "" {
			def = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, def, cell(usage))
	})
	return b.String()
}

func remarks(c rule.Category) []string {
	var remarks []string
	if c.Fix {
		remarks = append(remarks, "has a fix")
	}
	if c.Strict {
		remarks = append(remarks, "only with the strict flag")
	}
	if c.Trial {
		remarks = append(remarks, "[on trial](README.md#on-trial)")
	}
	return remarks
}

// index is the list of all pages.
func index(suite []*analysis.Analyzer) string {
	return generated + "# Analyzers\n\n" + table(suite) + harms()
}

// harms explains the harms.
func harms() string {
	var b strings.Builder
	b.WriteString("\n## Harm\n\nWhat a mistake does in production, the worst first. A finding may have another harm than its category, where its\n" +
		"situation decides. The flag `harm` says what is printed.\n\n| harm | means | printed |\n| --- | --- | --- |\n")
	for _, h := range rule.Harms() {
		printed := "by default"
		if h < rule.DefaultHarm {
			printed = "with `-harm=" + h.String() + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", h, h.Meaning(), printed)
	}
	b.WriteString(trial)
	return b.String()
}

const trial = `
## On trial

A category is printed by default if operators that no rule was made with have shown that what it finds is right, and that their maintainers
would mend it. One that fell short at the [last four hundred](../accuracy.md#first-contact) is on trial: its findings are hygiene. See them with
` + "`-harm=hygiene`, or print one analyzer's with its flag, such as `-workqueue.strict`" + `. Every new batch of operators is counted, so that a category may return.
`

// table lists the analyzers with links to their pages beside it.
func table(suite []*analysis.Analyzer) string {
	var b strings.Builder
	b.WriteString("| analyzer | group | finds | categories |\n| --- | --- | --- | --- |\n")
	for _, a := range suite {
		spec := rule.Of(a)
		var categories []string
		for _, c := range spec.Categories {
			link := fmt.Sprintf("[%s](%s.md#%s)", c.Name, a.Name, c.Name)
			remarks := c.Harm.String()
			if c.Trial {
				remarks = "on trial"
			}
			if c.Fix {
				remarks += ", fix"
			}
			categories = append(categories, link+" ("+remarks+")")
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s |\n", a.Name, a.Name, spec.Group, cell(spec.Summary), strings.Join(categories, ", "))
	}
	return b.String()
}

// cell makes a text fit for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("\n", " ", "|", `\|`).Replace(text)
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

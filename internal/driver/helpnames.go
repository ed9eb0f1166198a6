package driver

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/ruledoc"
)

// help prints the general help, or the documentation of what is named: analyzers,
// their groups and categories.
func (c *command) help(out io.Writer, names []string) error {
	if len(names) == 0 {
		return c.generalHelp(out)
	}
	var topics []func(io.Writer)
	for _, name := range names {
		topic, err := c.topic(name)
		if err != nil {
			return err
		}
		topics = append(topics, topic)
	}
	for i, print := range topics {
		if i > 0 {
			fmt.Fprintln(out)
		}
		print(out)
	}
	return nil
}

// topic returns what prints the documentation of a name. It may stand in
// parentheses, as in messages.
func (c *command) topic(name string) (func(io.Writer), error) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	analyzer, category, ofCategory := strings.Cut(name, "/")
	if members := settings.InGroup(c.analyzers, name); len(members) > 0 {
		return func(out io.Writer) { groupHelp(out, name, members) }, nil
	}
	a, err := settings.Lookup(c.analyzers, analyzer)
	if f := c.flags.Lookup(strings.TrimLeft(name, "-")); err != nil && f != nil {
		return func(out io.Writer) { printFlag(out, f.Name, f) }, nil
	}
	switch {
	case err != nil && ofCategory:
		return nil, err
	case err != nil:
		return nil, c.unknownTopic(name, err)
	case !ofCategory:
		return func(out io.Writer) { analyzerHelp(out, a) }, nil
	}
	categories := rule.Of(a).Categories
	var known []string
	for _, c := range categories {
		known = append(known, c.Name)
	}
	i := slices.Index(known, category)
	if i < 0 {
		return nil, settings.UnknownCategory(a, category)
	}
	return func(out io.Writer) { categoryHelp(out, a, categories[i]) }, nil
}

// unknownTopic prefers a category of that name, and a group that is nearly named so, to
// what else the name is near to.
func (c *command) unknownTopic(name string, err error) error {
	for _, a := range c.analyzers {
		for _, category := range rule.Of(a).Categories {
			if category.Name == name {
				return fmt.Errorf("no analyzer is named %q; did you mean %s/%s?", name, a.Name, name)
			}
		}
	}
	if settings.Nearest(name, settings.Groups(c.analyzers)) != "" {
		return settings.UnknownWord(c.analyzers, name)
	}
	return err
}

func groupHelp(out io.Writer, name string, members []*analysis.Analyzer) {
	fmt.Fprintf(out, "%s: a group of %d analyzers\n\n", name, len(members))
	width := 0
	for _, a := range members {
		width = max(width, len(a.Name))
	}
	for _, a := range members {
		fmt.Fprintf(out, "\t%-*s  %s\n", width, a.Name, rule.Of(a).Summary)
	}
	fmt.Fprintf(out, "\nFlags:\n\n\t-%s\n\t\trun only the analyzers of the groups so named; with =false, all others\n", name)
}

// categoryHelp prints the section of an analyzer's documentation that is about
// one category.
func categoryHelp(out io.Writer, a *analysis.Analyzer, category rule.Category) {
	fmt.Fprintf(out, "%s/%s: %s\n\nHarm: %s (%s)\n", a.Name, category.Name, category.Summary, category.Harm, category.Harm.Meaning())
	if category.Trial {
		fmt.Fprintf(out, "On trial: hygiene without -%s.strict, until operators have shown that it is right and wanted\n", a.Name)
	}
	fmt.Fprintln(out)
	if section, ok := ruledoc.Section(ruledoc.Parse(a), category.Name); ok {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(ruledoc.Text(section)))
	}
	fmt.Fprintf(out, "See opvet help %s for the analyzer's documentation and flags.\n\n%s#%s\n", a.Name, a.URL, category.Name)
}

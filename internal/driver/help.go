package driver

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

const usage = `opvet finds the mistakes that take Kubernetes operators down in production.

Usage:

	opvet [flags] [packages]              analyse packages, by default ./...
	opvet help [analyzer...]              this text, or the documentation of analyzers
	opvet why FILE:LINE                   what was considered there, and why it was not reported
	opvet version                         which opvet this is
	go vet -vettool=$(which opvet) ./...  the same analysis run by go vet
	go fix -fixtool=$(which opvet) ./...  its fixes applied by go fix

The exit status is 0 if there is nothing to report, 1 if there are findings or
-diff has printed something, and 2 if something could not be analysed or the
command line is wrong.

Flags:

`

// help prints the general help, or the documentation of the named analyzers.
func (c *command) help(out io.Writer, names []string) error {
	if len(names) == 0 {
		return c.generalHelp(out)
	}
	for i, name := range names {
		at := slices.IndexFunc(c.analyzers, func(a *analysis.Analyzer) bool { return a.Name == name })
		if at < 0 {
			return c.unknownAnalyzer(name)
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		analyzerHelp(out, c.analyzers[at])
	}
	return nil
}

func (c *command) generalHelp(out io.Writer) error {
	fmt.Fprint(out, usage)
	isAnalyzer := make(map[string]bool)
	width := 0
	for _, a := range c.analyzers {
		isAnalyzer[a.Name] = true
		width = max(width, len(a.Name))
	}
	c.flags.VisitAll(func(f *flag.Flag) {
		if !isAnalyzer[f.Name] && !strings.Contains(f.Name, ".") {
			printFlag(out, f.Name, f)
		}
	})
	fmt.Fprint(out, `	-<analyzer>
		run only the analyzers so named; with =false, all but these
	-<analyzer>.<flag>=value
		set a flag of one analyzer

Analyzers:

`)
	for _, a := range c.analyzers {
		title, _, _ := strings.Cut(a.Doc, "\n")
		title = strings.TrimPrefix(title, a.Name+": ")
		fmt.Fprintf(out, "\t%-*s  %s\n", width, a.Name, title)
	}
	_, err := fmt.Fprint(out, "\nSee opvet help <analyzer> for its documentation and flags.\n")
	return err
}

func analyzerHelp(out io.Writer, a *analysis.Analyzer) {
	fmt.Fprintf(out, "%s\n\nFlags:\n\n", strings.TrimSpace(a.Doc))
	fmt.Fprintf(out, "\t-%s\n\t\trun only the analyzers so named; with =false, all but these\n", a.Name)
	a.Flags.VisitAll(func(f *flag.Flag) { printFlag(out, a.Name+"."+f.Name, f) })
	fmt.Fprintf(out, "\n%s\n", a.URL)
}

func printFlag(out io.Writer, name string, f *flag.Flag) {
	value, text := flag.UnquoteUsage(f)
	if value != "" {
		value = " " + value
	}
	if f.DefValue != "" && f.DefValue != "false" {
		text += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	fmt.Fprintf(out, "\t-%s%s\n\t\t%s\n", name, value, text)
}

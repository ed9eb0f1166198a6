package driver

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

const usage = `opvet finds the mistakes that take Kubernetes operators down in production.

Usage:

	opvet [flags] [packages]              analyse packages, by default ./...
	opvet help [name...]                  this text, or the documentation of analyzers,
	                                      groups, or categories such as the end of a message
	opvet rbac [flags] [package]          the permissions that a program needs
	opvet map [flags] [packages]          a picture of the operator: controllers, kinds, webhooks
	opvet why FILE:LINE                   what was considered there, and why it was not reported
	opvet version                         which opvet this is
	opvet cache [-clean]                  where results are kept, and how much; remove them
	go vet -vettool=$(which opvet) ./...  the same analysis run by go vet
	go fix -fixtool=$(which opvet) ./...  its fixes applied by go fix

The exit status is 0 if there is nothing to report, 1 if there are findings or
-diff has printed something, and 2 if something could not be analysed or the
command line is wrong.

Flags:

`

func (c *command) generalHelp(out io.Writer) error {
	fmt.Fprint(out, usage)
	chooses := make(map[string]bool) // what runs
	width := 0
	for _, a := range c.analyzers {
		chooses[a.Name], chooses[rule.Of(a).Group] = true, true
		width = max(width, len(a.Name))
	}
	c.flags.VisitAll(func(f *flag.Flag) {
		if !chooses[f.Name] && !strings.Contains(f.Name, ".") {
			printFlag(out, f.Name, f)
		}
	})
	fmt.Fprintf(out, `	-<analyzer>, -<group>
		run only the analyzers and groups so named; with =false, all but these
	-<analyzer>.<flag>=value
		set a flag of one analyzer

Groups: %s

Analyzers:

`, strings.Join(settings.Groups(c.analyzers), ", "))
	for _, a := range c.analyzers {
		title, _, _ := strings.Cut(a.Doc, "\n")
		title = strings.TrimPrefix(title, a.Name+": ")
		fmt.Fprintf(out, "\t%-*s  %s\n", width, a.Name, title)
	}
	_, err := fmt.Fprint(out, "\nSee opvet help <analyzer> for its documentation and flags, and\ndocs/configuration.md for the file .opvet.yml.\n")
	return err
}

func analyzerHelp(out io.Writer, a *analysis.Analyzer) {
	fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(a.Doc))
	if excuses := rule.Of(a).Excuses; len(excuses) > 0 {
		fmt.Fprintf(out, "# %s\n\n%s\n\n", rule.LeftAlone, rule.AboutLeftAlone)
		for _, reason := range excuses {
			fmt.Fprintf(out, "\t%s: %s\n", reason.Name, reason.Doc)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "Flags:\n\n")
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

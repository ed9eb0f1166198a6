package driver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
)

// command is the command line.
type command struct {
	analyzers []*analysis.Analyzer // sorted by name
	flags     *flag.FlagSet
	chosen    map[*analysis.Analyzer]*choice

	dir     string
	tags    string
	tests   bool
	cache   string
	outputs outputs
	newFrom string
	harm    harmChoice
	order   order
	fix     bool
	diff    bool
}

func newCommand(analyzers []*analysis.Analyzer) *command {
	c := &command{
		analyzers: slices.Clone(analyzers),
		flags:     flag.NewFlagSet("opvet", flag.ContinueOnError),
		chosen:    make(map[*analysis.Analyzer]*choice),
	}
	slices.SortFunc(c.analyzers, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) })
	c.flags.SetOutput(io.Discard) // errors are returned, help is our own
	c.flags.Usage = func() {}
	c.flags.StringVar(&c.dir, "C", "", "change to `dir` before doing anything else")
	c.flags.StringVar(&c.tags, "tags", "", "build with these comma-separated `tags`")
	c.flags.Var(&c.outputs, "format", "print the findings as `format[=file]`: text, json, sarif or github, to the standard output or to a file; may be repeated")
	c.flags.BoolFunc("json", "short for -format json", func(value string) error {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return errors.New("want true or false")
		}
		if !on {
			return nil
		}
		return c.outputs.Set("json")
	})
	c.flags.Var(&c.harm, "harm", "print findings of this `harm` and worse: crash, loss, stuck, leak, load (the default) or hygiene")
	c.flags.Var(&c.order, "sort", "print the findings in this `order`: harm, the worst first, or path")
	c.flags.StringVar(&c.newFrom, "new-from-rev", "", "print only findings on lines that differ from the git `revision`, or that are explained by such a line")
	c.flags.BoolVar(&c.fix, "fix", false, "apply the suggested fixes, and print the findings that remain")
	c.flags.BoolVar(&c.diff, "diff", false, "print the suggested fixes as a unified diff instead; the exit status is 1 if there are any")
	c.flags.StringVar(&c.cache, "cache", os.Getenv("OPVET_CACHE"), "keep what was found in this `dir`, for packages that do not change; off for not at all (by default in the user's cache directory, or what OPVET_CACHE says)")
	c.flags.BoolVar(&c.tests, "test", false, "analyse test files too")
	for _, a := range c.analyzers {
		enable := new(choice)
		c.chosen[a] = enable
		c.flags.Var(enable, a.Name, "run only the analyzers so named; with =false, all others")
		a.Flags.VisitAll(func(f *flag.Flag) {
			c.flags.Var(f.Value, a.Name+"."+f.Name, f.Usage)
		})
	}
	return c
}

func (c *command) parse(args []string) error {
	if err := c.flags.Parse(args); err != nil {
		name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
		if unknown {
			return c.unknownFlag(name)
		}
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w; see opvet help", err)
	}
	if c.flags.Arg(0) == cacheName {
		return nil
	}
	for _, arg := range c.flags.Args() {
		// The flag package stops at the first argument, and the go command
		// would take the rest as patterns.
		if strings.HasPrefix(arg, "-") {
			return fmt.Errorf("flag %s must come before the packages", arg)
		}
	}
	if err := c.checkOutputs(); err != nil {
		return err
	}
	if c.tests {
		if err := settings.SetAll(c.analyzers, "tests", "true", settings.None); err != nil {
			return err
		}
	}
	if c.harm.given() {
		return settings.SetHarm(c.analyzers, c.harm.String(), func(a *analysis.Analyzer) bool { return c.isSet(a.Name + ".harm") })
	}
	return nil
}

// checkOutputs completes the outputs: unless there are others, the findings go
// to the standard output as text, and a diff goes there alone.
func (c *command) checkOutputs() error {
	if err := c.outputs.check(); err != nil {
		return err
	}
	if c.diff {
		if name := c.outputs.toStdout(); name != "" {
			return fmt.Errorf("-diff and -format %s would both go to the standard output; write -format %s=FILE", name, name)
		}
		return nil
	}
	if len(c.outputs) == 0 {
		return c.outputs.Set("text")
	}
	return nil
}

// unknownFlag words the error about a flag that does not exist.
func (c *command) unknownFlag(name string) error {
	if analyzer, option, ok := strings.Cut(name, "."); ok {
		for _, a := range c.analyzers {
			if a.Name == analyzer {
				return fmt.Errorf("analyzer %s has no flag %q; it has %s", analyzer, option, strings.Join(flagNames(&a.Flags), ", "))
			}
		}
		return c.unknownAnalyzer(analyzer)
	}
	names := slices.DeleteFunc(flagNames(c.flags), func(name string) bool { return strings.Contains(name, ".") })
	return fmt.Errorf("no flag or analyzer is named %q; there are -%s and the flags of each analyzer (see opvet help)", name, strings.Join(names, ", -"))
}

func (c *command) unknownAnalyzer(name string) error {
	var names []string
	for _, a := range c.analyzers {
		names = append(names, a.Name)
	}
	return fmt.Errorf("no analyzer is named %q; there are %s", name, strings.Join(names, ", "))
}

func flagNames(fs *flag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// enabledAnalyzers returns the analyzers to run: if some were named, these;
// otherwise all but those that were switched off. go vet has the same rule.
func (c *command) enabledAnalyzers() []*analysis.Analyzer {
	var named, others []*analysis.Analyzer
	for _, a := range c.analyzers {
		switch *c.chosen[a] {
		case chosenOn:
			named = append(named, a)
		case notChosen:
			others = append(others, a)
		}
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// isSet reports whether a flag was given.
func (c *command) isSet(name string) bool {
	found := false
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// choice is a boolean flag that knows whether it was given.
type choice int

const (
	notChosen choice = iota
	chosenOn
	chosenOff
)

func (c *choice) Set(value string) error {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return errors.New("want true or false")
	}
	*c = chosenOff
	if on {
		*c = chosenOn
	}
	return nil
}

func (c *choice) String() string   { return strconv.FormatBool(*c != chosenOff) }
func (c *choice) IsBoolFlag() bool { return true }

package driver

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

// command is the command line.
type command struct {
	analyzers []*analysis.Analyzer // sorted by name
	flags     *flag.FlagSet
	chosen    map[*analysis.Analyzer]*choice
	groups    map[string]*choice

	dir     string
	tags    string
	tests   bool
	cache   string
	outputs outputs
	newFrom string
	newBy   newness
	harm    harmChoice
	order   order
	most    uint
	fix     bool
	diff    bool
	version bool

	baseline      string
	writeBaseline bool
	pruneBaseline bool

	configFile string
	config     *config.Config       // nil for none
	configured []*analysis.Analyzer // that it leaves
}

func newCommand(analyzers []*analysis.Analyzer) *command {
	c := &command{
		analyzers: slices.Clone(analyzers),
		flags:     flag.NewFlagSet("opvet", flag.ContinueOnError),
		chosen:    make(map[*analysis.Analyzer]*choice),
		groups:    make(map[string]*choice),
	}
	slices.SortFunc(c.analyzers, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) })
	c.flags.SetOutput(io.Discard) // errors are returned, help is our own
	c.flags.Usage = func() {}
	c.flags.StringVar(&c.dir, "C", "", "change to `dir` before doing anything else")
	c.flags.StringVar(&c.configFile, "config", "", "read the settings from this `file`, or from none; by default from the .opvet.yml here or above")
	c.flags.StringVar(&c.tags, "tags", "", "build with these comma-separated `tags`")
	c.flags.Var(&c.outputs, "format", "print the findings as `format[=file]`: text (which is pretty at a terminal and plain elsewhere), plain, pretty, json, sarif, github or html, to the standard output or to a file; may be repeated")
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
	c.flags.Func("sort", "print the findings in this `order`: harm, the worst first, or path", eitherOf(&c.order, byHarm, byPath))
	c.flags.UintVar(&c.most, "max", 0, "print at most `n` findings as text; all others are counted, and are in the other formats")
	c.flags.StringVar(&c.newFrom, "new-from-rev", "", "print only findings that the git `revision` does not have; it is analysed, too")
	c.flags.Func("new-by", "how -new-from-rev tells what is new: by `what` is not found at the revision (findings, the default), or, faster, by what is on changed lines or explained by one (lines)", eitherOf(&c.newBy, byFindings, byLines))
	c.flags.StringVar(&c.baseline, "baseline", "", "leave out the findings that this `file` knows")
	c.flags.BoolVar(&c.writeBaseline, "write-baseline", false, "write the findings to the file of -baseline (by default "+baselineName+") instead of printing them")
	c.flags.BoolVar(&c.pruneBaseline, "prune-baseline", false, "take out of the file of -baseline what is not found any more")
	c.flags.BoolVar(&c.fix, "fix", false, "apply the suggested fixes, and print the findings that remain")
	c.flags.BoolVar(&c.diff, "diff", false, "print the suggested fixes as a unified diff instead; the exit status is 1 if there are any")
	c.flags.StringVar(&c.cache, "cache", os.Getenv("OPVET_CACHE"), "keep what was found in this `dir`, for packages that do not change; off for not at all (by default in the user's cache directory, or what OPVET_CACHE says)")
	c.flags.BoolVar(&c.tests, "test", false, "analyse test files too")
	c.flags.BoolVar(&c.version, "version", false, "print which opvet this is")
	for _, group := range settings.Groups(c.analyzers) {
		c.groups[group] = new(choice)
		c.flags.Var(c.groups[group], group, "run only the analyzers of the groups so named; with =false, all others")
	}
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
	if first := c.flags.Arg(0); first == cacheName || first == "help" {
		return nil
	}
	for _, arg := range c.flags.Args() {
		// The flag package stops at the first argument, and the go command
		// would take the rest as patterns.
		if strings.HasPrefix(arg, "-") {
			return fmt.Errorf("flag %s must come before the packages", arg)
		}
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
				return settings.UnknownFlag(a, option)
			}
		}
		_, err := settings.Lookup(c.analyzers, analyzer)
		return err
	}
	names := slices.DeleteFunc(settings.FlagNames(c.flags), func(name string) bool { return strings.Contains(name, ".") })
	if right := settings.Nearest(name, names); right != "" {
		return fmt.Errorf("no flag, analyzer or group is named %q; did you mean -%s? (see opvet help)", name, right)
	}
	return fmt.Errorf("no flag, analyzer or group is named %q; there are -%s and the flags of each analyzer (see opvet help)", name, strings.Join(names, ", -"))
}

// enabledAnalyzers returns the analyzers to run: if some were named, or their
// groups, these; otherwise all but those that were switched off. An analyzer's
// name counts more than its group. go vet has the same rule.
func (c *command) enabledAnalyzers() []*analysis.Analyzer {
	var named, others []*analysis.Analyzer
	all := c.analyzers
	if c.configured != nil && !c.choosesAnalyzers() {
		all = c.configured
	}
	for _, a := range all {
		switch cmp.Or(*c.chosen[a], *c.groups[rule.Of(a).Group]) {
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

// choosesAnalyzers reports whether the command line says which analyzers run; then
// what the settings say of that does not count.
func (c *command) choosesAnalyzers() bool {
	return slices.ContainsFunc(c.analyzers, func(a *analysis.Analyzer) bool { return c.isSet(a.Name) || c.isSet(rule.Of(a).Group) })
}

// isSet reports whether a flag was given.
func (c *command) isSet(name string) bool {
	found := false
	c.flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// eitherOf sets the value of a flag that is one of two words.
func eitherOf[T ~string](to *T, one, other T) func(string) error {
	return func(value string) error {
		if *to = T(value); *to != one && *to != other {
			return fmt.Errorf("want %s or %s", one, other)
		}
		return nil
	}
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

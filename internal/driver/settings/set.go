package settings

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// Set gives a flag of one of the analyzers a value. The flag's name is
// "analyzer.flag".
func Set(all []*analysis.Analyzer, name, value string) error {
	analyzer, option, ok := strings.Cut(name, ".")
	if !ok {
		return fmt.Errorf("%s: want analyzer.flag, such as statusupdate.strict", name)
	}
	a, err := Lookup(all, analyzer)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f := a.Flags.Lookup(option)
	if f == nil {
		return fmt.Errorf("%s: %w", name, UnknownFlag(a, option))
	}
	if err := f.Value.Set(value); err != nil {
		return fmt.Errorf("%s: bad value %q: %s", name, value, wants(f, err))
	}
	return nil
}

// SetAll gives a flag that the analyzers have in common a value, but for those
// that are left out.
func SetAll(all []*analysis.Analyzer, option, value string, leftOut func(*analysis.Analyzer) bool) error {
	for _, a := range all {
		f := a.Flags.Lookup(option)
		if f == nil || leftOut(a) {
			continue
		}
		if err := f.Value.Set(value); err != nil {
			return fmt.Errorf("%s: bad value %q: %s", option, value, wants(f, err))
		}
	}
	return nil
}

// SetHarm sets the flag harm of the analyzers. The harm that is the default anyway
// leaves each with its own.
func SetHarm(all []*analysis.Analyzer, harm string, leftOut func(*analysis.Analyzer) bool) error {
	if harm == rule.DefaultHarm.String() {
		return nil
	}
	return SetAll(all, "harm", harm, leftOut)
}

// None leaves no analyzer out.
func None(*analysis.Analyzer) bool { return false }

// Lookup returns the analyzer of that name.
func Lookup(all []*analysis.Analyzer, name string) (*analysis.Analyzer, error) {
	i := slices.IndexFunc(all, func(a *analysis.Analyzer) bool { return a.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no analyzer is named %q; %s", name, orElse(name, names(all), "there are "+strings.Join(names(all), ", ")))
	}
	return all[i], nil
}

// UnknownFlag is the error about a flag that an analyzer does not have.
func UnknownFlag(a *analysis.Analyzer, option string) error {
	return fmt.Errorf("analyzer %s has no flag %q; it has %s", a.Name, option, strings.Join(FlagNames(&a.Flags), ", "))
}

// UnknownCategory is the error about a category that an analyzer does not have.
func UnknownCategory(a *analysis.Analyzer, name string) error {
	var known []string
	for _, c := range rule.Of(a).Categories {
		known = append(known, c.Name)
	}
	return fmt.Errorf("analyzer %s has no category %q; %s", a.Name, name, orElse(name, known, "it has "+strings.Join(known, ", ")))
}

// wants says which values a flag takes. The errors of package flag's own types
// do not.
func wants(f *flag.Flag, err error) string {
	if getter, ok := f.Value.(flag.Getter); ok {
		switch getter.Get().(type) {
		case bool:
			return "want true or false"
		case int, int64, uint, uint64:
			return "want a whole number"
		case float64:
			return "want a number"
		case time.Duration:
			return "want a duration, such as 30s"
		}
	}
	return err.Error()
}

// FlagNames returns the names of the flags of a set, sorted.
func FlagNames(set *flag.FlagSet) []string {
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

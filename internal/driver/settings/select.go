package settings

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// everything is the word for all analyzers.
const everything = "all"

// scope says how much of the suite a word names. The narrower decides.
type scope int

const (
	suite scope = iota
	group
	single
	scopes
)

// Select returns those of the analyzers that enable and disable leave, in their
// order. Both lists hold names of analyzers and of groups, and "all". Without
// enable all analyzers run but the disabled ones; with it the enabled ones. Where
// both speak of an analyzer, its name counts more than its group, and its
// group more than "all".
func Select(all []*analysis.Analyzer, enable, disable []string) ([]*analysis.Analyzer, error) {
	enabled, err := scopesOf(all, "enable", enable)
	if err != nil {
		return nil, err
	}
	disabled, err := scopesOf(all, "disable", disable)
	if err != nil {
		return nil, err
	}
	var left []*analysis.Analyzer
	for _, a := range all {
		on, isOn := narrowest(enabled, a)
		off, isOff := narrowest(disabled, a)
		switch {
		case isOn && isOff && on == off:
			return nil, fmt.Errorf("enable and disable both name %q", word(a, on))
		case isOn && (!isOff || on > off), !isOn && !isOff && len(enable) == 0:
			left = append(left, a)
		}
	}
	if len(left) == 0 {
		return nil, fmt.Errorf("enable and disable leave no analyzer; %s", listing(all))
	}
	return left, nil
}

// scopesOf turns the words of a list into a set of them by scope.
func scopesOf(all []*analysis.Analyzer, list string, words []string) (*[scopes][]string, error) {
	var result [scopes][]string
	for i, w := range words {
		if err := CheckWord(all, w); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", list, i, err)
		}
		s, _ := scopeOf(all, w)
		result[s] = append(result[s], w)
	}
	return &result, nil
}

func scopeOf(all []*analysis.Analyzer, w string) (scope, bool) {
	if w == everything {
		return suite, true
	}
	for s := single; s > suite; s-- {
		if slices.ContainsFunc(all, func(a *analysis.Analyzer) bool { return word(a, s) == w }) {
			return s, true
		}
	}
	return 0, false
}

// narrowest returns the narrowest scope in which a list names the analyzer.
func narrowest(list *[scopes][]string, a *analysis.Analyzer) (scope, bool) {
	for s := single; s >= suite; s-- {
		if slices.Contains(list[s], word(a, s)) {
			return s, true
		}
	}
	return 0, false
}

// word is how a list names the analyzer in a scope.
func word(a *analysis.Analyzer, s scope) string {
	switch s {
	case single:
		return a.Name
	case group:
		return rule.Of(a).Group
	}
	return everything
}

// CheckWord returns an error unless the word names something.
func CheckWord(all []*analysis.Analyzer, w string) error {
	if _, ok := scopeOf(all, w); !ok {
		return UnknownWord(all, w)
	}
	return nil
}

// Words returns all that a list may name.
func Words(all []*analysis.Analyzer) []string {
	return slices.Concat([]string{everything}, Groups(all), names(all))
}

// UnknownWord is the error about a word that names nothing.
func UnknownWord(all []*analysis.Analyzer, w string) error {
	return fmt.Errorf("no analyzer or group is named %q; %s", w, orElse(w, slices.Concat(names(all), Groups(all)), listing(all)))
}

// listing says what may stand in the lists.
func listing(all []*analysis.Analyzer) string {
	return fmt.Sprintf("there are the analyzers %s, the groups %s, and %q",
		strings.Join(names(all), ", "), strings.Join(Groups(all), ", "), everything)
}

// Groups returns the groups that the analyzers belong to, sorted.
func Groups(all []*analysis.Analyzer) []string {
	var groups []string
	for _, a := range all {
		groups = append(groups, word(a, group))
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// InGroup returns the analyzers of a group.
func InGroup(all []*analysis.Analyzer, name string) []*analysis.Analyzer {
	return slices.DeleteFunc(slices.Clone(all), func(a *analysis.Analyzer) bool { return word(a, group) != name })
}

func names(all []*analysis.Analyzer) []string {
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

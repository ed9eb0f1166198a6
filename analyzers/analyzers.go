// Package analyzers is the registry of the suite.
package analyzers

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/unusedignore"
	"github.com/opvet/opvet/internal/report/registry"
	"github.com/opvet/opvet/internal/report/rule"
)

var all = append(slices.Clone(registry.Rules), unusedignore.Analyzer)

// Group is a theme, such as "status", with the analyzers that belong to it.
type Group struct {
	Name      string
	Analyzers []*analysis.Analyzer // sorted by name
}

// All returns every analyzer of the suite, sorted by name.
func All() []*analysis.Analyzer {
	return slices.SortedFunc(slices.Values(all), func(a, b *analysis.Analyzer) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// ByName returns the analyzer of that name, or nil if there is none.
func ByName(name string) *analysis.Analyzer {
	for _, a := range all {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Groups returns the analyzers by theme, the themes sorted by name.
func Groups() []Group {
	var groups []Group
	for _, a := range All() {
		name := rule.Of(a).Group
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Name: name})
		}
		groups[i].Analyzers = append(groups[i].Analyzers, a)
	}
	slices.SortFunc(groups, func(a, b Group) int { return strings.Compare(a.Name, b.Name) })
	return groups
}

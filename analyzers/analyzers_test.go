package analyzers

import (
	"regexp"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

func TestRegistry(t *testing.T) {
	if err := analysis.Validate(all); err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`^[a-z]+$`)
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for _, a := range All() {
		spec := rule.Of(a)
		if !word.MatchString(a.Name) {
			t.Errorf("analyzer %q: the name must be one lower-case word", a.Name)
		}
		if ByName(a.Name) != a {
			t.Errorf("ByName(%q) is another analyzer", a.Name)
		}
		for what, text := range map[string]string{"summary": spec.Summary, "group": spec.Group, "since": spec.Since} {
			if text == "" {
				t.Errorf("analyzer %s has no %s", a.Name, what)
			}
		}
		if len(spec.Categories) == 0 {
			t.Errorf("analyzer %s has no categories", a.Name)
		}
		var names []string
		for _, c := range spec.Categories {
			if !kebab.MatchString(c.Name) || c.Summary == "" {
				t.Errorf("analyzer %s: category %q must be kebab-case and have a summary", a.Name, c.Name)
			}
			names = append(names, c.Name)
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(spec.Categories) {
			t.Errorf("analyzer %s declares a category twice", a.Name)
		}
	}
	if ByName("nosuchanalyzer") != nil {
		t.Error("ByName finds an analyzer that does not exist")
	}
}

// TestNamesOfPasses holds that no two passes share a name: gopls keeps facts by it.
func TestNamesOfPasses(t *testing.T) {
	named := make(map[string]*analysis.Analyzer)
	var visit func(a *analysis.Analyzer)
	visit = func(a *analysis.Analyzer) {
		if named[a.Name] == a {
			return
		}
		if other := named[a.Name]; other != nil {
			t.Errorf("two passes are named %s: %q and %q", a.Name, other.Doc, a.Doc)
		}
		named[a.Name] = a
		for _, required := range a.Requires {
			visit(required)
		}
	}
	for _, a := range all {
		visit(a)
	}
}

func TestGroupsHoldEveryAnalyzerOnce(t *testing.T) {
	var names []string
	for _, g := range Groups() {
		for _, a := range g.Analyzers {
			names = append(names, a.Name)
		}
	}
	slices.Sort(names)
	var want []string
	for _, a := range All() {
		want = append(want, a.Name)
	}
	if !slices.Equal(names, want) {
		t.Errorf("groups hold %v, the registry %v", names, want)
	}
}

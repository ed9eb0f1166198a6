package driver

import (
	"maps"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

func TestWhatPackagesForTestsAreNeededFor(t *testing.T) {
	nodes := []node{
		{id: "app", path: "m.example/p/app", imports: []string{"fake", "lib"}},
		{id: "lib", path: "m.example/p/lib"},
		{id: "fake", path: "m.example/p/testing/fake", imports: []string{"base", "lib"}},
		{id: "base", path: "m.example/p/testing/base"},
		{id: "e2e", path: "m.example/p/e2e", imports: []string{"suite", "base"}},
		{id: "suite", path: "m.example/p/e2e/suite", imports: []string{"app"}},
		{id: "own", path: "github.com/owner/e2e"}, // a repository's name tells nothing
	}
	want := map[string]need{"fake": forFacts, "base": forFacts, "e2e": forModule, "suite": forModule}
	if got := needsOf(nodes, []*analysis.Analyzer{badcall}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNothingIsLookedForInPackagesForTests(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	t.Cleanup(func() { badcall.Flags.Set("harm", rule.Loss.String()) })
	w.flags = []string{"-harm=loss"} // the analyzer is the same for all runs
	w.write(t, "p/testing/fake/fake.go", "package fake\n\nimport \"m.example/a\"\n\n// Do is bad.\nfunc Do() { a.Do() }\n\nfunc good() {}\n")
	w.write(t, "p/e2e/e2e.go", "package e2e\n\nimport \"m.example/p/testing/fake\"\n\nfunc Do() { fake.Do() }\n\nfunc good() {}\n")
	w.write(t, "c/c.go", "package c\n\nimport \"m.example/p/testing/fake\"\n\nfunc Do() { fake.Do() }\n\nfunc good() {}\n")
	const fromC = "b.go:5:13 c.go:5:13 d.go:6:13"
	const all = "b.go:5:13 c.go:5:13 d.go:6:13 e2e.go:5:13 fake.go:6:13"
	w.want(t, fromC, "a b c d", "-cache=off")
	w.want(t, all, "a b c d p/e2e p/testing/fake", "-cache=off", "-harm=hygiene")
	w.want(t, fromC, "a b c d")
	w.want(t, fromC, "")
	// What is known without looking is not taken for what is there, nor the other way round.
	w.want(t, all, "p/e2e p/testing/fake", "-harm=hygiene")
	w.want(t, all, "", "-harm=hygiene")
	w.want(t, fromC, "")
	// What nobody needed may be needed once.
	w.write(t, "d/d.go", "package d\n\nimport \"m.example/p/e2e\"\n\nfunc Do() { e2e.Do() }\n")
	w.write(t, "p/e2e/e2e.go", "package e2e\n\n// Do is bad.\nfunc Do() {}\n")
	w.want(t, "b.go:5:13 c.go:5:13 d.go:5:13", "d")
	w.want(t, "b.go:5:13 c.go:5:13 d.go:5:13", "a b c d", "-cache=off")
}

func TestCommentsConcernOneAnalyzer(t *testing.T) {
	concerned := rule.New(rule.Spec{
		Name: "concerned", Summary: "look at some files", Group: "samples", Since: "v0", Prints: rule.Hygiene,
		DocSource: "// Package concerned is for tests.\n//\n// It does nothing.\npackage concerned\n",
		Concerns:  func(src []byte) bool { return len(src) > 0 },
	})
	hygiene := rule.New(rule.Spec{
		Name: "tidy", Summary: "look at all files", Group: "samples", Since: "v0", Prints: rule.Hygiene,
		DocSource: "// Package tidy is for tests.\n//\n// It does nothing.\npackage tidy\n",
	})
	if !leavesSilent([]*analysis.Analyzer{badcall, concerned}) || leavesSilent([]*analysis.Analyzer{badcall, hygiene}) || leavesSilent([]*analysis.Analyzer{fragile}) {
		t.Error("packages for tests are left out where something may be printed of them, or not where nothing may")
	}
	dir := writeModule(t, map[string]string{"p/e2e/e2e.go": "package e2e\n"})
	n := node{id: "e2e", path: "m.example/p/e2e", files: []string{dir + "/p/e2e/e2e.go"}}
	if !isSilent(n, []*analysis.Analyzer{badcall}) || isSilent(n, []*analysis.Analyzer{badcall, concerned}) {
		t.Error("what a file says does not count")
	}
}

func TestSummaryTellsWhatWasNotLookedInto(t *testing.T) {
	for _, test := range []struct {
		result Result
		want   string
	}{
		{Result{Packages: 3}, "no findings in 3 packages"},
		{Result{Packages: 3, Silent: 1}, "no findings in 3 packages; 1 package for tests not looked into (-harm=hygiene)"},
		{
			Result{Packages: 3, Silent: 2, Harmless: []Finding{{Harm: rule.Load}, {Harm: rule.Load}}},
			"0 findings in 3 packages; 2 load findings not shown, 2 packages for tests not looked into (-harm=hygiene)",
		},
	} {
		if got := test.result.summary(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

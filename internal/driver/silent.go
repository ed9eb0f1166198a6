package driver

import (
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

// need says for what a package is analysed.
type need uint8

const (
	forFindings need = iota // for what is found in it
	forFacts                // for those that import it, since nothing of what is found would be printed
	forModule               // for what it adds to the call graph of the module
)

// plan is a set of passes that run over a package.
type plan struct {
	order []*analysis.Analyzer                        // each after what it requires
	users map[*analysis.Analyzer][]*analysis.Analyzer // which of them require it
}

func newPlan(analyzers []*analysis.Analyzer) *plan {
	p := &plan{order: guard.Passes(append(slices.Clip(analyzers), processes.Analyzer)), users: make(map[*analysis.Analyzer][]*analysis.Analyzer)}
	for _, a := range p.order {
		for _, required := range a.Requires {
			p.users[required] = append(p.users[required], a)
		}
	}
	return p
}

// plans returns the plan for each need.
func plans(analyzers []*analysis.Analyzer) map[need]*plan {
	all := newPlan(analyzers)
	var tell []*analysis.Analyzer
	for _, a := range all.order {
		if len(a.FactTypes) > 0 {
			tell = append(tell, a)
		}
	}
	return map[need]*plan{forFindings: all, forFacts: newPlan(tell), forModule: newPlan(nil)}
}

// leavesSilent reports whether nothing is printed of packages for tests, but for what is said of
// comments. All that is found in them is hygiene, whoever runs them: rules that
// make more of a finding, or of one elsewhere by what they tell, leave such packages out.
func leavesSilent(analyzers []*analysis.Analyzer) bool {
	return !slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return rule.PrintsHygiene(a, nil) })
}

// node is a package of the user's with what decides what it is needed for.
type node struct {
	id, path       string
	files, imports []string // these by ID
}

func nodeOf(pkg *packages.Package) node {
	n := node{id: pkg.ID, path: pkg.PkgPath, files: pkg.GoFiles}
	for _, imported := range pkg.Imports {
		n.imports = append(n.imports, imported.ID)
	}
	return n
}

// needsOf tells of packages, by their IDs, what they are needed for, if that is not for
// what is found in them.
func needsOf(nodes []node, analyzers []*analysis.Analyzer) map[string]need {
	needs := make(map[string]need)
	imports := make(map[string][]string)
	var asked []string
	for _, n := range nodes {
		imports[n.id] = n.imports
		if isSilent(n, analyzers) {
			needs[n.id] = forModule
		} else {
			asked = append(asked, n.imports...)
		}
	}
	for len(asked) > 0 {
		id := asked[len(asked)-1]
		asked = asked[:len(asked)-1]
		if needs[id] == forModule {
			needs[id] = forFacts
			asked = append(asked, imports[id]...)
		}
	}
	return needs
}

// isSilent reports whether nothing of what may be found in a package is printed.
func isSilent(n node, analyzers []*analysis.Analyzer) bool {
	if !rule.IsForTests(n.path) {
		return false
	}
	return !slices.ContainsFunc(n.files, func(name string) bool {
		src, err := os.ReadFile(name)
		return err != nil || slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return rule.PrintsHygiene(a, src) })
	})
}

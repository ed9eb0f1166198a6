package driver

import (
	"cmp"
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
)

// Result is what came out of an analysis.
type Result struct {
	Findings []Finding // sorted by place
	// Problems says what could not be loaded or analysed, one text for each.
	Problems []string

	errors map[string]map[string]error // package ID -> analyzer -> failure
	costs  map[string]time.Duration    // analyzer -> time in all packages
}

// Cost is the time that an analyzer took in all packages together, while
// others ran in parallel.
type Cost struct {
	Analyzer string
	Time     time.Duration
}

// Costs returns what each analyzer took, shared passes included, the most
// expensive first.
func (r *Result) Costs() []Cost {
	var costs []Cost
	for name, d := range r.costs {
		costs = append(costs, Cost{name, d})
	}
	slices.SortFunc(costs, func(a, b Cost) int { return cmp.Compare(b.Time, a.Time) })
	return costs
}

// Finding is a diagnostic with its place.
type Finding struct {
	Analyzer   *analysis.Analyzer
	PackageID  string
	Posn, End  token.Position
	Diagnostic analysis.Diagnostic

	fset *token.FileSet
}

// Analyze runs the analyzers over the program. The result has the findings in
// the packages that were asked for, and an analyzer that fails or panics on a
// package costs no more than its findings there and in the packages that
// import it.
func (p *Program) Analyze(analyzers []*analysis.Analyzer) (*Result, error) {
	result := &Result{Problems: slices.Clone(p.Problems), errors: make(map[string]map[string]error), costs: make(map[string]time.Duration)}
	if len(analyzers) == 0 {
		return result, nil
	}
	containPanics(analyzers)
	graph, err := checker.Analyze(analyzers, p.roots, &checker.Options{SanityCheck: p.CheckFacts})
	if err != nil {
		return nil, fmt.Errorf("running the analyzers: %w", err)
	}
	for act := range graph.All() {
		result.costs[act.Analyzer.Name] += act.Duration
		if act.Err != nil {
			result.fail(act)
		}
	}
	seen := make(map[string]bool) // variants of a package share files
	for _, act := range graph.Roots {
		if !p.wanted[act.Package.ID] {
			continue
		}
		for _, d := range act.Diagnostics {
			f := Finding{
				Analyzer: act.Analyzer, PackageID: act.Package.ID, Diagnostic: d, fset: act.Package.Fset,
				Posn: act.Package.Fset.Position(d.Pos), End: act.Package.Fset.Position(d.End),
			}
			if !d.End.IsValid() {
				f.End = f.Posn
			}
			if len(p.files) > 0 && !p.files[f.Posn.Filename] {
				continue
			}
			key := fmt.Sprint(f.Posn, f.End, f.Analyzer.Name, d.Message)
			if !seen[key] {
				seen[key] = true
				result.Findings = append(result.Findings, f)
			}
		}
	}
	slices.SortStableFunc(result.Findings, compareFindings)
	return result, nil
}

func compareFindings(a, b Finding) int {
	if c := strings.Compare(a.Posn.Filename, b.Posn.Filename); c != 0 {
		return c
	}
	if a.Posn.Line != b.Posn.Line {
		return a.Posn.Line - b.Posn.Line
	}
	if a.Posn.Column != b.Posn.Column {
		return a.Posn.Column - b.Posn.Column
	}
	return strings.Compare(a.Diagnostic.Message, b.Diagnostic.Message)
}

// fail records a failed action, and mentions it unless another has caused it.
func (r *Result) fail(act *checker.Action) {
	if act.IsRoot {
		if r.errors[act.Package.ID] == nil {
			r.errors[act.Package.ID] = make(map[string]error)
		}
		r.errors[act.Package.ID][act.Analyzer.Name] = act.Err
	}
	for _, dep := range act.Deps {
		if dep.Err != nil {
			return
		}
	}
	r.Problems = append(r.Problems, fmt.Sprintf("%s failed on package %s: %v", act.Analyzer.Name, act.Package.ID, act.Err))
}

// contained holds the analyzers whose Run turns panics into errors.
var contained struct {
	sync.Mutex
	done map[*analysis.Analyzer]bool
}

// containPanics makes the analyzers, and those that they require, return an
// error where they would panic. They are changed in place, since results are
// keyed by the analyzers' identity.
func containPanics(analyzers []*analysis.Analyzer) {
	contained.Lock()
	defer contained.Unlock()
	if contained.done == nil {
		contained.done = make(map[*analysis.Analyzer]bool)
	}
	var visit func(analyzers []*analysis.Analyzer)
	visit = func(analyzers []*analysis.Analyzer) {
		for _, a := range analyzers {
			if contained.done[a] {
				continue
			}
			contained.done[a] = true
			visit(a.Requires)
			run := a.Run
			a.Run = func(pass *analysis.Pass) (result any, err error) {
				defer func() {
					if r := recover(); r != nil {
						result, err = nil, fmt.Errorf("internal error, please report it: panic: %v\n%s", r, panicSite(debug.Stack()))
					}
				}()
				return run(pass)
			}
		}
	}
	visit(analyzers)
}

// panicSite returns the part of the stack between the panic and the driver.
func panicSite(stack []byte) string {
	_, below, found := strings.Cut(string(stack), "\npanic(")
	if !found {
		return string(stack)
	}
	lines := strings.Split(below, "\n")
	const panicFrame, maxLines = 2, 20 // the rest of panic's own frame; ten calls
	if len(lines) <= panicFrame {
		return below
	}
	lines = lines[panicFrame:]
	for i, line := range lines {
		if i >= maxLines || strings.Contains(line, "driver.containPanics") {
			lines = lines[:i]
			break
		}
	}
	return "\t" + strings.Join(lines, "\n\t")
}

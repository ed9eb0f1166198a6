package driver

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

// Result is what came out of an analysis.
type Result struct {
	Findings []Finding // sorted by place
	// Harmless has what was found and does too little harm to be reported.
	Harmless []Finding
	// Excused has what looked like a mistake and was not reported.
	Excused []Excused
	// Skipped are the analyzers that left a package out, but for what a server runs, since it
	// serves tests.
	Skipped []string
	// Packages is how many packages were asked for and analysed.
	Packages int
	// Problems says what could not be loaded or analysed, one text for each.
	Problems []string
	// Notes says what else a reader of the findings should know.
	Notes []string
	// Silent is how many packages were asked for in which nothing was looked for, since nothing of it
	// would be reported.
	Silent int
	// Known is how many findings a baseline knows; they are left out.
	Known int

	model  *mapModel                   // of what the programs are made; nil if nobody asked
	open   []Finding                   // that depend on what was not settled
	places map[int]token.Position      // what problems were met at, by index
	errors map[string]map[string]error // package ID -> analyzer -> failure
	costs  map[string]time.Duration    // analyzer -> time in all packages
}

// all returns the findings, reported or not.
func (r *Result) all() []Finding { return slices.Concat(r.Findings, r.Harmless) }

// drop takes those of all findings out of the result for which is is true.
func (r *Result) drop(is []bool) {
	rest := func(findings []Finding, is []bool) []Finding {
		var left []Finding
		for i, f := range findings {
			if !is[i] {
				left = append(left, f)
			}
		}
		return left
	}
	reported := len(r.Findings)
	r.Findings, r.Harmless = rest(r.Findings, is[:reported]), rest(r.Harmless, is[reported:])
}

// Cost is the time that an analyzer took in all packages together, while
// others ran in parallel.
type Cost struct {
	Analyzer string
	Time     time.Duration
}

// Settling is the name under which [Result.Costs] has what it took to settle what findings
// depend on.
const Settling = "settling"

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
	Harm       rule.Harm
	// Cause is that of [rule.Finding].
	Cause string
	// Fset has the places of the diagnostic's fixes.
	Fset *token.FileSet
	Pkg  *types.Package
	// Settled says what the whole module has told if that has made another finding of
	// it than other drivers have; normally empty.
	Settled string
	// Programs are those of the module that may run the function that it is found in, by their
	// directories, if the module has several; InAll tells that all do.
	Programs []string
	InAll    bool
	// Dead is the function that it is found in if nothing in the module runs that, tests aside.
	Dead string
	// OnTrial tells that it is hygiene since its category is on trial; see [rule.OnTrial].
	OnTrial bool
	// Proven tells that other drivers may not report the finding: the whole module shows it.
	Proven bool
}

// Excused is a candidate that an analyzer did not report.
type Excused struct {
	Analyzer *analysis.Analyzer
	Posn     token.Position
	Category string
	Reason   rule.Reason
}

// Analyze runs the analyzers over the program. The result has the findings in
// the packages that were asked for, and an analyzer that fails or panics on a
// package costs no more than its findings there and in the packages that
// import it.
func (p *Program) Analyze(analyzers []*analysis.Analyzer) (*Result, error) {
	result, err := p.analyze(analyzers)
	if err != nil || p.unchecked == nil || !p.unchecked.failed.Load() {
		return result, err
	}
	again, err := p.reload()
	if err != nil {
		return nil, err
	}
	again.CheckFacts, again.Analysed = p.CheckFacts, p.Analysed
	*p = *again
	return p.analyze(analyzers)
}

func (p *Program) analyze(analyzers []*analysis.Analyzer) (*Result, error) {
	result := &Result{
		Problems: slices.Clone(p.Problems), places: make(map[int]token.Position),
		errors: make(map[string]map[string]error), costs: make(map[string]time.Duration),
	}
	if len(analyzers) == 0 {
		return result, nil
	}
	if err := analysis.Validate(analyzers); err != nil {
		return nil, fmt.Errorf("the analyzers: %w", err)
	}
	rule.HasWholeProgram()
	defer kubeapi.Remember()()
	e := newExecutor(analyzers)
	e.checkFacts, e.forgets, e.memory = p.CheckFacts, p.forgets, p.memory
	e.unchecked, e.needs = p.unchecked, p.needs
	if p.Analysed != nil {
		e.done = p.Analysed
	}
	seen := make(map[string]bool) // variants of a package share files
	paths, silent := make(map[string]bool), make(map[string]bool)
	units := e.run(p.roots)
	if p.unchecked != nil && p.unchecked.failed.Load() {
		return nil, nil // all begins anew
	}
	settler := p.newSettler(units)
	for _, unit := range units {
		result.collectFailures(e, unit)
		for a, cost := range unit.costs {
			result.costs[a.Name] += cost
		}
		if !p.wanted[unit.pkg.ID] {
			continue
		}
		paths[unit.pkg.PkgPath] = true
		if p.needs[unit.pkg.ID] != forFindings {
			silent[unit.pkg.PkgPath] = true
		}
		for _, a := range e.roots {
			found, reports := unit.found(a)
			if outcome := unit.outcomes[a]; outcome != nil {
				for _, x := range outcome.Excused() {
					result.Excused = append(result.Excused, Excused{a, unit.pkg.Fset.Position(x.Pos), x.Category, x.Reason})
				}
				if outcome.Skipped() {
					result.Skipped = append(result.Skipped, a.Name)
				}
			}
			for _, d := range found {
				f := newFinding(a, unit.pkg, d)
				if len(p.files) > 0 && !p.files[f.Posn.Filename] {
					continue
				}
				key := fmt.Sprint(f.Posn, f.End, a.Name, d.Message)
				switch {
				case seen[key] || !settler.settle(&f, d.If):
					continue
				case reports(f.Harm):
					result.Findings = append(result.Findings, f)
				default:
					result.Harmless = append(result.Harmless, f)
				}
				seen[key] = true
			}
		}
	}
	result.Packages, result.Silent, result.open = len(paths), len(silent), settler.open
	result.costs[Settling] = settler.took
	slices.SortStableFunc(result.Findings, compareFindings)
	result.tellOnce()
	return result, nil
}

func newFinding(a *analysis.Analyzer, pkg *packages.Package, found rule.Diagnostic) Finding {
	d := found.Diagnostic
	if d.URL == "" {
		d.URL = a.URL
	}
	f := Finding{
		Analyzer: a, PackageID: pkg.ID, Diagnostic: d, Harm: found.Harm, Cause: found.Cause, Fset: pkg.Fset, Pkg: pkg.Types,
		Posn: pkg.Fset.Position(d.Pos), End: pkg.Fset.Position(d.End), OnTrial: rule.OnTrial(a, d.Category),
	}
	if !d.End.IsValid() {
		f.End = f.Posn
	}
	return f
}

func compareFindings(a, b Finding) int {
	return cmp.Or(strings.Compare(a.Posn.Filename, b.Posn.Filename), cmp.Compare(a.Posn.Line, b.Posn.Line),
		cmp.Compare(a.Posn.Column, b.Posn.Column), strings.Compare(a.Diagnostic.Message, b.Diagnostic.Message))
}

// collectFailures records the failures on a package, and mentions those that
// no other has caused.
func (r *Result) collectFailures(e *executor, unit *unitResult) {
	for _, a := range e.order {
		err := unit.errors[a]
		if err == nil {
			continue
		}
		if slices.Contains(e.roots, a) {
			if r.errors[unit.pkg.ID] == nil {
				r.errors[unit.pkg.ID] = make(map[string]error)
			}
			r.errors[unit.pkg.ID][a.Name] = err
		}
		if !errors.Is(err, errPrerequisite) {
			if failure := (*guard.Failure)(nil); errors.As(err, &failure) && failure.Posn.IsValid() {
				r.places[len(r.Problems)] = failure.Posn
			}
			r.Problems = append(r.Problems, fmt.Sprintf("%s failed on package %s: %v", a.Name, unit.pkg.ID, err))
		}
	}
}

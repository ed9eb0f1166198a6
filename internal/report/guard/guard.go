// Package guard keeps a mistake in one pass from taking the others with it.
//
// Drivers differ in what they do if a pass panics or returns an error: the vet
// tool dies, golangci-lint and nogo throw away what all analyzers have found,
// gopls says nothing. So a protected pass does neither. It returns a result as
// if all were well, those that require it do not run, and each analyzer that
// cannot say anything about a package for that reason reports so, in place of
// its findings. The standalone driver asks [Run] for the failure instead.
//
// What the Go runtime does not hand to the program cannot be caught: the end of
// stack or memory, or maps that are written to concurrently.
package guard

import (
	"go/types"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"golang.org/x/tools/go/analysis"
)

// protected has the analyzers whose Run is guarded, and whether they report
// failures.
var protected sync.Map // *analysis.Analyzer -> bool

// Analyzer guards an analyzer, and all passes of the suite that it requires. It
// changes them in place, since a pass is known by its identity; passes of
// others, which the host's own analyzers may share, are left alone.
func Analyzer(a *analysis.Analyzer) { protect(a, true) }

func protect(a *analysis.Analyzer, reports bool) {
	if _, done := protected.LoadOrStore(a, reports); done || !isOurs(a) {
		return
	}
	for _, required := range a.Requires {
		protect(required, false)
	}
	if bodies := findBodies(a.Requires); bodies != nil && !slices.Contains(a.Requires, bodies) {
		// It runs anyway, and its result tells where a panic happened.
		a.Requires = append(slices.Clone(a.Requires), bodies)
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		forget(pass)
		failure := inherited(pass)
		if failure == nil {
			result, err := attempt(run, pass)
			if err == nil {
				return result, nil
			}
			failure = asFailure(err, pass)
		}
		if reports && !failure.reported {
			pass.Report(failure.Diagnostic(pass))
			failure.reported = true
		}
		remember(pass, failure)
		if a.ResultType == nil {
			return nil, nil
		}
		return reflect.Zero(a.ResultType).Interface(), nil
	}
}

// isOurs reports whether a pass is of the module that this package belongs to.
func isOurs(a *analysis.Analyzer) bool {
	const here = "/internal/report/guard."
	name := func(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }
	module, _, _ := strings.Cut(name(isOurs), here)
	return strings.HasPrefix(name(a.Run), module+"/")
}

// Run runs a pass, guarded or not, and returns its failure as an error: a
// *[Failure], unless it is one that an unguarded pass has returned.
func Run(pass *analysis.Pass) (any, error) {
	result, err := attempt(pass.Analyzer.Run, pass)
	if err != nil {
		return nil, err
	}
	if failure := Of(pass.Pkg, pass.Analyzer); failure != nil {
		return nil, failure
	}
	return result, nil
}

// attempt makes an error of a panic.
func attempt(run func(*analysis.Pass) (any, error), pass *analysis.Pass) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, panicFailure(pass, r, debug.Stack())
		}
	}()
	return run(pass)
}

// inherited returns the failure of a pass that this one requires.
func inherited(pass *analysis.Pass) *Failure {
	for _, required := range pass.Analyzer.Requires {
		if cause := Of(pass.Pkg, required); cause != nil {
			failure := *cause
			return &failure
		}
	}
	return nil
}

// asFailure makes a failure of whatever error a pass has returned.
func asFailure(err error, pass *analysis.Pass) *Failure {
	if failure, ok := err.(*Failure); ok {
		return failure
	}
	return newFailure(pass, err.Error())
}

// What failed is known by package and pass, and is forgotten with the package.
type key struct {
	pkg  weak.Pointer[types.Package]
	pass *analysis.Analyzer
}

var (
	failures sync.Map // key -> *Failure
	anything atomic.Bool
)

// Of returns why a guarded pass has failed on a package, or nil if it has not.
// The failure of a pass that it requires is its own.
func Of(pkg *types.Package, a *analysis.Analyzer) *Failure {
	if !anything.Load() {
		return nil
	}
	failure, ok := failures.Load(key{weak.Make(pkg), a})
	if !ok {
		return nil
	}
	return failure.(*Failure)
}

func remember(pass *analysis.Pass, failure *Failure) {
	anything.Store(true)
	k := key{weak.Make(pass.Pkg), pass.Analyzer}
	if _, known := failures.Swap(k, failure); !known && pass.Pkg != nil {
		runtime.AddCleanup(pass.Pkg, func(k key) { failures.Delete(k) }, k)
	}
}

// forget drops what has happened in an earlier run over the same package.
func forget(pass *analysis.Pass) {
	if anything.Load() {
		failures.Delete(key{weak.Make(pass.Pkg), pass.Analyzer})
	}
}

// Passes returns the analyzers and all that they require, each after what it
// requires.
func Passes(analyzers []*analysis.Analyzer) []*analysis.Analyzer {
	var order []*analysis.Analyzer
	seen := make(map[*analysis.Analyzer]bool)
	var visit func([]*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if !seen[a] {
				seen[a] = true
				visit(a.Requires)
				order = append(order, a)
			}
		}
	}
	visit(analyzers)
	return order
}

// Failures returns the failures of the analyzers, and of all that they require,
// on a package, each once.
func Failures(pkg *types.Package, analyzers []*analysis.Analyzer) []*Failure {
	if !anything.Load() {
		return nil
	}
	var found []*Failure
	seen := make(map[string]bool)
	for _, a := range Passes(analyzers) {
		if failure := Of(pkg, a); failure != nil && !seen[failure.Pass] {
			seen[failure.Pass] = true
			found = append(found, failure)
		}
	}
	return found
}

package detachedctx

import (
	_ "embed"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var docSource string

// Analyzer reports calls that wait under a context which nothing cancels
// although the caller's is in reach.
var Analyzer = rule.New(rule.Spec{
	Name:      "detachedctx",
	Summary:   "find calls that ignore the context which is in reach",
	DocSource: docSource,
	Group:     "context",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: "ctx-ignored", Summary: "a call runs under context.Background() or TODO() beside the function's own context", Harm: rule.Hygiene, Trial: true, EndsWithProcess: true, Fix: true},
		{Name: "ctx-blank", Summary: "the function drops its context parameter and runs calls under context.Background() or TODO()", Harm: rule.Hygiene, EndsWithProcess: true, Fix: true},
		{Name: "field-ignored", Summary: "a call runs under context.Background() or TODO() beside a context in a struct that is at hand", Harm: rule.Hygiene, EndsWithProcess: true, Fix: true},
		{Name: "helper", Summary: "a function without a context makes one up, and its callers have one", Harm: rule.Hygiene, Trial: true, EndsWithProcess: true},
		{Name: "launders", Summary: "a helper takes a context and returns context.Background() or TODO()", Harm: rule.Hygiene, Fix: true},
		{Name: "lead", Summary: "a leader works under another context than that of its lead", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer, detachedcalls.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		detached: pass.ResultOf[detachedcalls.Analyzer].(*detachedcalls.Calls),
	}
	if c.graph.Pkg == nil {
		return nil
	}
	c.tell()
	led := c.leads()
	if c.detached.CommandLine {
		report.IfServed(func() { c.judge(led) })
	} else {
		c.judge(led)
	}
	return nil
}

// judge reports the calls under detached contexts; the lead's are reported already.
func (c *checker) judge(led map[ssa.CallInstruction]bool) {
	sites, laundered := c.sort(slices.DeleteFunc(slices.Clone(c.detached.Sites), func(site *detachedcalls.Site) bool { return led[site.Call] }))
	c.launders(laundered)
	sites = c.keep(sites)
	var guessed []*detachedcalls.Site
	if !c.report.Strict() {
		guessed = slices.DeleteFunc(slices.Clone(sites), func(site *detachedcalls.Site) bool { return !isGuess(site) })
		sites = slices.DeleteFunc(sites, isGuess)
	}
	for _, at := range c.causes(sites) {
		if c.heard(at) {
			c.report.Report(c.finding(at))
		}
	}
	for _, at := range c.causes(guessed) {
		// What is found at the place already is not found again.
		if f := c.finding(at); f.IfImplemented != nil && c.heard(at) {
			c.report.Report(f)
		}
	}
}

// isGuess reports whether a helper would need a context for a call that may ignore it, as far
// as can be seen from here.
func isGuess(site *detachedcalls.Site) bool { return site.Guessed && site.Caller != nil }

// sort takes the calls apart whose context a helper launders: the finding about
// the helper is enough for them.
func (c *checker) sort(all []*detachedcalls.Site) (sites []*detachedcalls.Site, laundered map[*types.Func][]*detachedcalls.Site) {
	launderers := c.launderers()
	laundered = make(map[*types.Func][]*detachedcalls.Site)
	for _, site := range all {
		if callee := calleeOf(site.Root); callee != nil && launderers[callee] != nil {
			laundered[callee] = append(laundered[callee], site)
		} else {
			sites = append(sites, site)
		}
	}
	return sites, laundered
}

// isDoubtful reports whether it may well change nothing to pass the live context: it
// is one that nobody can cancel. That the call may not heed it is another question: the
// whole module settles it (see [provenBy]).
func isDoubtful(site *detachedcalls.Site) bool { return site.Anybody }

// checker looks at one package.
type checker struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *calls.Graph
	entries  *entrypoints.Result
	contexts *contexts.Sources
	detached *detachedcalls.Calls
}

// category sorts a site by where the live context is.
func category(site *detachedcalls.Site) string {
	switch {
	case site.Caller != nil, site.Elsewhere != nil:
		return "helper"
	case site.Live.Kind == contexts.FromField:
		return "field-ignored"
	case site.Live.Blank:
		return "ctx-blank"
	}
	return "ctx-ignored"
}

// ownName is the name of a function that is not to be taken for the one around
// it.
func ownName(fn *ssa.Function) string {
	if fn.Parent() == nil {
		return nameOf(fn)
	}
	return "the literal in " + nameOf(fn)
}

// nameOf is how users know a function; literals go by the function around
// them.
func nameOf(fn *ssa.Function) string {
	fn = paths.Outermost(fn)
	if fn.Synthetic != "" || fn.Object() == nil {
		return "the function"
	}
	return fn.Name()
}

// calleeOf returns the function that a call names, or nil.
func calleeOf(v ssa.Value) *types.Func {
	call, ok := v.(*ssa.Call)
	if !ok {
		return nil
	}
	if fn := call.Common().StaticCallee(); fn != nil {
		obj, _ := fn.Object().(*types.Func)
		return obj
	}
	return nil
}

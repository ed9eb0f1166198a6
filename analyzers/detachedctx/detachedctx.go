package detachedctx

import (
	_ "embed"
	"fmt"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/detached"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/rule"
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
		{Name: "ctx-ignored", Summary: "a call runs under context.Background() or TODO() beside the function's own context", Harm: rule.Hygiene, Fix: true},
		{Name: "ctx-blank", Summary: "the function drops its context parameter and runs calls under context.Background() or TODO()", Harm: rule.Hygiene, Fix: true},
		{Name: "field-ignored", Summary: "a call runs under context.Background() or TODO() beside a context in a struct that is at hand", Harm: rule.Hygiene, Fix: true},
		{Name: "helper", Summary: "a function without a context makes one up, and its callers have one", Harm: rule.Hygiene},
		{Name: "launders", Summary: "a helper takes a context and returns context.Background() or TODO()", Harm: rule.Hygiene, Fix: true},
		{Name: "escapes", Summary: "the context of a request goes to a goroutine that outlives the request", Harm: rule.Hygiene},
	},
	Requires: []*analysis.Analyzer{callgraph.Analyzer, entrypoint.Analyzer, contexts.Analyzer, detached.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[callgraph.Analyzer].(*callgraph.Graph),
		entries:  pass.ResultOf[entrypoint.Analyzer].(*entrypoint.Result),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Info),
		detached: pass.ResultOf[detached.Analyzer].(*detached.Info),
	}
	if c.graph.Pkg == nil {
		return nil
	}
	launderers := c.launders()
	for _, site := range c.detached.Sites {
		if isDoubtful(site) && !report.Strict() {
			continue
		}
		if !launderers[calleeOf(site.Root)] && !detached.Excused(pass, site.Pos()) {
			c.report.Report(c.finding(site))
		}
	}
	c.escapes()
	return nil
}

// isDoubtful reports whether it may well change nothing to pass the live context: it
// is one that nobody can cancel, or the call does not heed it. To pass one that is
// at hand costs nothing, whatever an implementation makes of it; to hand one down
// through functions does.
func isDoubtful(site *detached.Site) bool { return site.Anybody || site.Guessed && site.Caller != nil }

// checker looks at one package.
type checker struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *callgraph.Graph
	entries  *entrypoint.Result
	contexts *contexts.Info
	detached *detached.Info
}

// category sorts a site by where the live context is.
func category(site *detached.Site) string {
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

func (c *checker) finding(site *detached.Site) rule.Finding {
	f := rule.Finding{Pos: site.Pos(), Category: category(site)}
	switch {
	case site.Elsewhere != nil:
		f.Message, f.Related = c.elsewhere(site), c.chain(site)
	case site.Caller != nil:
		f.Message, f.Related = c.helper(site), c.chain(site)
	default:
		f.Message, f.Fix = c.ignored(site), c.fix(site)
	}
	return f
}

// ignored words a context that is at hand in the function itself.
func (c *checker) ignored(site *detached.Site) string {
	root, call := detached.RootName(site.Root), entrypoint.CalleeName(site.Call)
	if site.Live.Blank {
		fn := ownName(site.Live.Param.Parent())
		return fmt.Sprintf("%s drops its context parameter and runs %s under %s: when the caller gives up or the operator stops, it goes on; name the parameter and pass it", fn, call, root)
	}
	if site.Live.Kind == contexts.FromRequest {
		return fmt.Sprintf("%s runs under %s, not under the request's context: when the client is gone or its time is up, it goes on; pass %s", call, root, site.Live.Expr)
	}
	return fmt.Sprintf("%s runs under %s although %s is at hand: when that is cancelled or its deadline passes, it goes on; pass %s", call, root, site.Live.Expr, site.Live.Expr)
}

// helper words a function that makes up a context which its callers have.
func (c *checker) helper(site *detached.Site) string {
	fn := nameOf(site.Fn())
	return fmt.Sprintf("%s runs under %s because %s takes no context, while %s has %s: when that is cancelled or its deadline passes, %s goes on; give %s a context parameter",
		entrypoint.CalleeName(site.Call), detached.RootName(site.Root), fn, c.holder(site), liveName(site.Live), fn, fn)
}

// elsewhere words the call of another package's function that makes up a
// context.
func (c *checker) elsewhere(site *detached.Site) string {
	fact := site.Elsewhere
	callee := entrypoint.CalleeName(site.Call)
	way := ""
	for _, via := range fact.Via {
		way += " → " + via
	}
	has := fmt.Sprintf("%s is at hand", liveName(site.Live))
	switch {
	case site.Caller != nil:
		has = fmt.Sprintf("%s has %s", c.holder(site), liveName(site.Live))
	case site.Live.Blank:
		has = "a context parameter without a name is at hand"
	}
	return fmt.Sprintf("%s%s takes no context and runs %s under %s (at %s), while %s: when that is cancelled or its deadline passes, it goes on; give %s a context parameter",
		callee, way, fact.Call, fact.Root, fact.Where, has, callee)
}

// holder names the caller that has a live context, with its place.
func (c *checker) holder(site *detached.Site) string {
	at := c.pass.Fset.Position(site.Chain[0].Pos())
	return fmt.Sprintf("%s (%s:%d)", ownName(site.Caller), base(at.Filename), at.Line)
}

func liveName(s contexts.Source) string {
	if s.Blank {
		return "a context parameter, which it drops"
	}
	return s.Expr
}

// chain has the calls that lead from the live context to the site.
func (c *checker) chain(site *detached.Site) []analysis.RelatedInformation {
	var info []analysis.RelatedInformation
	for _, call := range site.Chain {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoint.CalleeName(call)})
	}
	return info
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
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
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
	fn := call.Common().StaticCallee()
	if fn == nil {
		return nil
	}
	obj, _ := fn.Object().(*types.Func)
	return obj
}

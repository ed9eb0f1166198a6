package reconcileresult

import (
	_ "embed"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/failures"
	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	resultWithError  = "result-with-error"
	notFoundRequeued = "notfound-requeued"
	notFound         = "notfound"
	swallowed        = "swallowed"
	past             = "past"
)

// Analyzer finds answers of Reconcile that do not do what they say.
var Analyzer = rule.New(rule.Spec{
	Name:      "reconcileresult",
	Summary:   "find answers of Reconcile that controller-runtime ignores, that never end, or that hide a failure",
	DocSource: doc,
	Group:     "reconcile",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: resultWithError, Summary: "requeue beside an error, which controller-runtime ignores", Harm: rule.Load, Fix: true},
		{Name: notFoundRequeued, Summary: "object that has been deleted is reconciled forever", Harm: rule.Leak},
		{Name: notFound, Summary: "first Get's error returned although the object may just have been deleted", Harm: rule.Hygiene, Fix: true},
		{Name: swallowed, Summary: "failed write that Reconcile answers with success, and nobody hears of", Harm: rule.Loss},
		{Name: past, Summary: "RequeueAfter that is not positive once a time has passed, so that nothing is requeued", Harm: rule.Stuck, Fix: true},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, contexts.Analyzer, controllers.Analyzer, failures.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Summaries: sums, failures: pass.ResultOf[failures.Analyzer].(*failures.Failures),
		controllers: pass.ResultOf[controllers.Analyzer].(*controllers.Result),
		pass:        pass, report: report,
		results: results.Of(sums, pass.ResultOf[contexts.Analyzer].(*contexts.Sources)), answers: make(map[*ssa.Function]answer),
	}
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	c.origins = &origins.Tracer{Calls: sums.Calls, Entries: entries}
	for _, entry := range entries.Entries {
		if entry.Kind == kubeapi.Reconcile && resultOf(entry.Fn) != nil && len(entry.Fn.Blocks) > 0 {
			c.reaches(entry.Fn, answer{entry: entry.Fn})
		}
	}
	c.helpers()
	for _, fn := range sums.Units() {
		c.past(fn)
	}
	if len(c.answers) == 0 {
		return nil
	}
	c.mappers()
	for _, fn := range sums.Units() {
		if by, ok := c.answers[fn]; ok {
			u := &unit{c, c.Unit(fn), by}
			u.besideErrors()
			u.swallows()
			if by.entry == fn {
				u.gone()
			}
		}
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*objects.Summaries
	results     *results.Results
	failures    *failures.Failures
	controllers *controllers.Result
	origins     *origins.Tracer
	pass        *analysis.Pass
	report      *rule.Reporter
	// answers are the functions whose results controller-runtime gets.
	answers map[*ssa.Function]answer
	// built are the kinds of the package's controllers, once somebody has asked.
	built map[*types.Named]bool
}

// answer tells how the results of a function reach controller-runtime.
type answer struct {
	entry *ssa.Function // the Reconcile that returns them
	at    token.Pos     // where it does, or where the first function on the way does
}

// unit is one function whose results are the answer of a Reconcile.
type unit struct {
	*checker
	*objects.Unit
	by answer
}

// maxAnswers bounds how many functions are looked at.
const maxAnswers = 500

// reaches notes a function whose results controller-runtime gets, and the
// functions whose results it returns unchanged.
func (c *checker) reaches(fn *ssa.Function, by answer) {
	if _, seen := c.answers[fn]; seen || len(c.answers) > maxAnswers {
		return
	}
	c.answers[fn] = by
	for call, ret := range c.handedBack(fn) {
		if c.usesResult(c.Unit(fn).Graph, call) {
			continue
		}
		for _, callee := range c.Calls.Callees(call).Funcs {
			if len(callee.Blocks) > 0 && resultOf(callee) != nil {
				c.reaches(callee, answer{entry: by.entry, at: ret.Pos()})
			}
		}
	}
}

// handedBack yields the calls whose two results a function returns unchanged, with the returns.
func (c *checker) handedBack(fn *ssa.Function) iter.Seq2[*ssa.Call, *ssa.Return] {
	return func(yield func(*ssa.Call, *ssa.Return) bool) {
		for _, n := range c.Unit(fn).Graph.Nodes {
			ret, ok := n.Instr.(*ssa.Return)
			if !ok || n.Frame.Parent != nil || len(ret.Results) != 2 {
				continue
			}
			for _, call := range c.results.Pairs(ret.Results[0], ret.Results[1]) {
				if !yield(call, ret) {
					return
				}
			}
		}
	}
}

// usesResult reports whether a function takes the Result of a call that has
// failed and returns it with a nil error: then the Result counts for some
// errors.
func (c *checker) usesResult(g *paths.Graph, call *ssa.Call) bool {
	failed := make(map[ssa.Value]paths.Truth)
	var starts []*paths.Node
	for _, err := range values.Extracted(call, 1) {
		failed[err] = paths.True
		starts = append(starts, g.At(err.(*ssa.Extract))...)
	}
	return slices.ContainsFunc(starts, func(start *paths.Node) bool {
		_, found := g.Search(start, 0, failed, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			ret, ok := n.Instr.(*ssa.Return)
			if !ok || !g.IsExit(n) {
				return stage, paths.Continue
			}
			if known.Of(ret.Results[1]) == paths.False && c.results.CallsBehind(ret.Results[0], 0)[call] {
				return stage, paths.Found
			}
			return stage, paths.Prune
		})
		return found
	})
}

// resultOf returns the type of a function's first result if it returns a
// Result and an error.
func resultOf(fn *ssa.Function) *types.Struct {
	results := fn.Signature.Results()
	if results.Len() != 2 || !kubeapi.IsError(results.At(1).Type()) {
		return nil
	}
	return kubeapi.ReconcileResult(results.At(0).Type())
}

// syntax returns the return statement of a node.
func (c *checker) syntax(pos token.Pos) *ast.ReturnStmt {
	for _, n := range syntax.Path(c.pass.Files, pos) {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			return ret
		}
	}
	return nil
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

package conflictretry

import (
	"cmp"
	_ "embed"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	staleObject = "stale-object"
	swallowed   = "swallowed"
	cannotFire  = "cannot-fire"
	failedRead  = "failed-read"
)

// Analyzer finds retries after conflicts that cannot help.
var Analyzer = rule.New(rule.Spec{
	Name:      "conflictretry",
	Summary:   "find retries after conflicts that send the same object again, or never happen",
	DocSource: doc,
	Group:     "status",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: staleObject, Summary: "each attempt updates the same object, which is never read again", Harm: rule.Loss},
		{Name: swallowed, Summary: "conflict that the function answers with nil: no retry, and nothing written", Harm: rule.Loss},
		{Name: cannotFire, Summary: "conflict that is turned into another error", Harm: rule.Loss, Fix: true},
		{Name: failedRead, Summary: "object written although reading it again has failed", Harm: rule.Loss, Trial: true},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{Summaries: sums, pass: pass, report: report}
	for _, fn := range sums.Calls.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			c.call(call)
		}
	}
	c.reportStale()
	return nil
}

// checker looks at one package.
type checker struct {
	*objects.Summaries
	pass   *analysis.Pass
	report *rule.Reporter
	stales []*stale
}

// retry is one call that runs a function again after conflicts.
type retry struct {
	*checker
	*objects.Unit // of the function that is tried
	call          *ssa.Call
}

func (c *checker) call(call *ssa.Call) {
	try, retriable, ok := kubeapi.ConflictRetry(call.Common())
	if !ok || retriable != nil && !c.asksForConflict(retriable) {
		return
	}
	targets := c.Calls.FuncsOf(try)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 || !kubeapi.CanFail(targets.Funcs[0].Signature) {
		return
	}
	r := &retry{c, c.Unit(targets.Funcs[0]), call}
	for _, w := range r.updates() {
		if !r.loses(w) {
			r.stale(w)
		}
		r.afterFailedRead(w)
	}
}

// asksForConflict reports whether what OnError asks is whether an error is a
// conflict, alone or among others.
func (c *checker) asksForConflict(retriable ssa.Value) bool {
	targets := c.Calls.FuncsOf(retriable)
	return slices.ContainsFunc(targets.External, func(external calls.External) bool { return kubeapi.IsConflictTest(external.Func) }) ||
		slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
			return blocks.Any(fn, func(call *ssa.Call) bool { return kubeapi.IsConflictTest(kubeapi.Callee(call.Common())) })
		})
}

// update is a node of the function that sends a whole object, which fails with
// a conflict if the object has changed meanwhile.
type update struct {
	node   *paths.Node
	events []objects.Event // the object, and what it is a copy of
}

func (r *retry) updates() []update {
	var found []update
	for _, n := range r.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		events := slices.DeleteFunc(slices.Clone(r.At(n)), func(e objects.Event) bool {
			return e.Kind != objects.Written || e.Write.Verb != kubeapi.Update || e.Write.Partial
		})
		if len(events) > 0 {
			found = append(found, update{n, events})
		}
	}
	return found
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

// tell reports what is found at a node.
func (c *checker) tell(n *paths.Node, f rule.Finding) {
	f.Pos, f.End = c.span(n)
	c.report.Report(f)
}

// span returns where a finding about a node stands.
func (c *checker) span(n *paths.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return syntax.Span(c.pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}

// name is how the code names what a node calls.
func name(n *paths.Node) string { return nameOr(n.Call(), "the write") }

// retrier is how the code names what runs the function again.
func (r *retry) retrier() string { return nameOr(r.call, "the retry") }

func nameOr(call ssa.CallInstruction, unknown string) string {
	if call != nil {
		if callee := kubeapi.Callee(call.Common()); callee != nil {
			return callee.Name()
		}
	}
	return unknown
}

// kind names the object of an event.
func kind(e objects.Event) string {
	named := cmp.Or(e.Place.Kind, e.Type)
	if named == nil {
		return "the object"
	}
	return "*" + named.Obj().Pkg().Name() + "." + named.Obj().Name()
}

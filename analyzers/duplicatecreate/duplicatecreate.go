package duplicatecreate

import (
	_ "embed"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/duplicatecreate/internal/care"
	"github.com/opvet/opvet/analyzers/duplicatecreate/internal/lists"
	"github.com/opvet/opvet/analyzers/duplicatecreate/internal/names"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const generatedName = "generated-name"

// Analyzer finds children that a stale cache makes twice.
var Analyzer = rule.New(rule.Spec{
	Name:       "duplicatecreate",
	Summary:    "find children with generated names that a stale cache makes twice",
	DocSource:  doc,
	Group:      "informers",
	Since:      "unreleased",
	Categories: []rule.Category{{Name: generatedName, Summary: "an object with a generated name is created if a list from the cache lacks it", Harm: rule.Loss}},
	Requires:   []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, controllers.Analyzer, names.Analyzer},
	Run:        run,
})

type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
	sums   *objects.Summaries
	names  *names.Names
	lists  lists.In
	care   care.In
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		pass: pass, report: report, sums: sums, names: pass.ResultOf[names.Analyzer].(*names.Names), lists: lists.In{Sums: sums},
		care: care.In{Sums: sums, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result), Controllers: pass.ResultOf[controllers.Analyzer].(*controllers.Result)},
	}
	for _, fn := range sums.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			if store, ok := instr.(*ssa.Store); ok {
				c.takenOver(fn, store)
			}
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			if op, ok := sums.ClientOp(call.Common()); ok && op.Verb == kubeapi.Create && op.Endpoint == kubeapi.MainEndpoint && op.Object != nil && op.Object.Parent() == fn {
				c.create(call, op)
			} else if c.names.Makes(call) {
				c.handedOn(call)
			}
		}
	}
	return nil
}

// create judges a request that creates an object.
func (c *checker) create(call *ssa.Call, op kubeapi.Op) {
	kind := kubeapi.KindOfValue(op.Object)
	if kind == nil || kubeapi.IsRecordedEvent(kind) || kubeapi.IsReview(kind) || !c.names.Anew(call.Parent(), op.Object) {
		return
	}
	list, way := c.lists.Before(call, kind)
	if list == nil {
		c.remembered(call, kind, op.Object)
		return
	}
	if c.care.Excused(append(way, call, list), kind) || c.isRefused(append(way, call)) {
		return
	}
	c.tell(call, list, kind, op.Object)
}

// handedOn judges an object that a function puts together if there is none, for
// others to create.
func (c *checker) handedOn(call *ssa.Call) {
	fn := call.Parent()
	kind := kubeapi.KindOfValue(call)
	if kind == nil || !c.names.Anew(fn, call) || !returns(fn, call) || !c.createsGiven(kind) {
		return
	}
	if list := c.lists.Decided(call, kind); list != nil && !c.care.Excused([]ssa.CallInstruction{call, list}, kind) {
		c.tell(call, list, kind, call)
	}
}

// returns reports whether a function returns what a call in it does.
func returns(fn *ssa.Function, call *ssa.Call) bool {
	for ret := range blocks.Returns(fn) {
		for _, result := range ret.Results {
			if phi, ok := result.(*ssa.Phi); ok && slices.Contains(phi.Edges, ssa.Value(call)) || result == ssa.Value(call) {
				return true
			}
		}
	}
	return false
}

// createsGiven reports whether a function of the package creates an object of a
// kind that it is given.
func (c *checker) createsGiven(kind *types.Named) bool {
	return slices.ContainsFunc(c.sums.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call *ssa.Call) bool {
			op, ok := c.sums.ClientOp(call.Common())
			if !ok || op.Verb != kubeapi.Create || op.Object == nil || kubeapi.KindOfValue(op.Object) != kind {
				return false
			}
			_, given := c.sums.Resolve.Place(op.Object).Object.Root.(*ssa.Parameter)
			return given
		})
	})
}

func (c *checker) tell(call *ssa.Call, list ssa.CallInstruction, kind *types.Named, object ssa.Value) {
	where := ""
	if at := c.names.Elsewhere(object); at != "" {
		where = " (" + at + ")"
	}
	related := []analysis.RelatedInformation{{Pos: list.Pos(), Message: "the cache is asked here whether there is one"}}
	if at := c.names.Where(call); at.IsValid() {
		related = append(related, analysis.RelatedInformation{Pos: at, Message: "it is named here"})
	}
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: generatedName, Harm: c.care.Harm(call, kind),
		Message: wording.Fit(func(name func(string) string) string {
			return "two of this " + name(kind.Obj().Name()) + " are made if the cache does not show the first one yet: its name is new each time" + where + "; derive one that stays the same"
		}),
		Related: related,
	})
}

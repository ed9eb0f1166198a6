package duplicatecreate

import (
	_ "embed"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

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
	pass    *analysis.Pass
	report  *rule.Reporter
	sums    *objects.Summaries
	entries *entrypoints.Result
	names   *names.Names
	// controllers are those of the package.
	controllers *controllers.Result
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		pass: pass, report: report, sums: sums, entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		names: pass.ResultOf[names.Analyzer].(*names.Names), controllers: pass.ResultOf[controllers.Analyzer].(*controllers.Result),
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
	list, way := c.listBefore(call, kind, 0)
	if list == nil {
		c.remembered(call, kind, op.Object)
		return
	}
	if c.excused(append(way, call, list), kind) {
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
	if list := c.listIn(call, kind); list != nil && !c.excused([]ssa.CallInstruction{call, list}, kind) {
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
		Pos: pos, End: end, Category: generatedName, Harm: c.harm(call, kind),
		Message: wording.Fit(func(name func(string) string) string {
			return "two of this " + name(kind.Obj().Name()) + " are made if the cache does not show the first one yet: its name is new each time" + where + "; derive one that stays the same"
		}),
		Related: related,
	})
}

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// listBefore returns the call that has listed objects of the kind from a cache
// whenever a call runs: in its function, or in those that call it.
func (c *checker) listBefore(call ssa.CallInstruction, kind *types.Named, depth int) (list ssa.CallInstruction, way []ssa.CallInstruction) {
	if list := c.listIn(call, kind); list != nil {
		return list, nil
	}
	if depth > maxDepth {
		return nil, nil
	}
	for _, caller := range c.sums.Calls.Callers(call.Parent()) {
		if list, way := c.listBefore(caller, kind, depth+1); list != nil {
			return list, append(way, caller)
		}
	}
	return nil, nil
}

// listIn returns the call that has done so in the function of the call.
func (c *checker) listIn(call ssa.CallInstruction, kind *types.Named) ssa.CallInstruction {
	for other := range blocks.InstrsOf[*ssa.Call](call.Parent()) {
		if blocks.Precedes(other, call) && c.lists(other, kind, 0) && decides(other, call) {
			return other
		}
	}
	return nil
}

// decides reports whether a branch lies between a list and what follows it.
func decides(list *ssa.Call, call ssa.CallInstruction) bool {
	for block := call.Block().Idom(); block != nil && list.Block().Dominates(block); block = block.Idom() {
		if branch, ok := blocks.Last(block).(*ssa.If); ok && !isErrorTest(branch.Cond) {
			return true
		}
	}
	return false
}

func isErrorTest(cond ssa.Value) bool {
	op, ok := cond.(*ssa.BinOp)
	return ok && (kubeapi.IsError(op.X.Type()) || kubeapi.IsError(op.Y.Type()))
}

// lists reports whether a call reads all objects of the kind from a cache, itself
// or in a function of the package that returns them.
func (c *checker) lists(call *ssa.Call, kind *types.Named, depth int) bool {
	fn := kubeapi.Callee(call.Common())
	if fn != nil && kubeapi.IsListerList(fn) {
		slice, ok := fn.Signature().Results().At(0).Type().Underlying().(*types.Slice)
		return ok && kubeapi.KindOf(slice.Elem()) == kind
	}
	if op, ok := c.sums.ClientOp(call.Common()); ok {
		return op.Verb == kubeapi.List && op.Object != nil && kubeapi.ListElem(kubeapi.Unboxed(op.Object).Type()) == kind && c.readsCache(op.Recv)
	}
	targets := c.sums.Calls.Callees(call)
	return len(targets.Funcs) == 1 && depth <= 1 && returnsMany(call.Type(), kind) &&
		blocks.Any(targets.Funcs[0], func(inner *ssa.Call) bool { return c.lists(inner, kind, depth+1) })
}

// returnsMany reports whether the results of a call have a list of the kind, or
// one that was picked from it.
func returnsMany(t types.Type, kind *types.Named) bool {
	if tuple, ok := t.(*types.Tuple); ok {
		return kubeapi.AnyIs(tuple, func(t types.Type) bool { return returnsMany(t, kind) })
	}
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return kubeapi.KindOf(t) == kind || kubeapi.ListElem(t) == kind
}

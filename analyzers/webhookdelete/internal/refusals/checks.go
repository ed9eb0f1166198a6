package refusals

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Checks is a fact about a function that may fail for what it is given, and does not ask
// whether that is being deleted.
type Checks struct{ Fails bool }

// AFact marks a fact on a function.
func (*Checks) AFact() {}

// IsZero reports whether there is nothing to tell.
func (c *Checks) IsZero() bool { return !c.Fails }

// Checking has what is known of functions that check.
type Checking = facts.Table[Checks, *Checks]

// ChecksAnalyzer tells of the functions that check objects for webhooks, here and in other
// packages; its result is a *[Checking].
var ChecksAnalyzer = &analysis.Analyzer{
	Name:       "opvetchecks",
	Doc:        "tell which functions may refuse an object, whether it is being deleted or not",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        findChecks,
	ResultType: reflect.TypeFor[*Checking](),
	FactTypes:  []analysis.Fact{new(Checks)},
}

func findChecks(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	table := facts.New[Checks, *Checks](pass, sums.Calls)
	if sums.Calls.Pkg == nil {
		return table, nil
	}
	for _, fn := range sums.Calls.Funcs {
		if takesObject(fn) && mayRefuse(fn) && !asksDeletion(sums.Calls, fn, 0) {
			*table.Note(fn) = Checks{true}
		}
	}
	table.Export()
	return table, nil
}

// takesObject reports whether a declared function is given an object, as a parameter or as
// its receiver, and no client: those that have one look at other objects, too.
func takesObject(fn *ssa.Function) bool {
	_, declared := fn.Object().(*types.Func)
	return declared && !slices.ContainsFunc(fn.Params, hasClient) && slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.KindOf(p.Type()) != nil })
}

// mayRefuse reports whether what a function returns last says whether it has failed, and is
// not always the same.
func mayRefuse(fn *ssa.Function) bool {
	return tellsFailure(fn) && blocks.Any(fn, func(ret *ssa.Return) bool { return !calls.IsNil(ret.Results[len(ret.Results)-1]) })
}

// asksDeletion reports whether a function, or one that it calls, looks at the time of
// deletion.
func asksDeletion(graph *calls.Graph, fn *ssa.Function, depth int) bool {
	return blocks.Any(fn, kubeapi.IsDeletionTime) || blocks.Any(fn, func(call *ssa.Call) bool {
		return kubeapi.AsksDeletion(kubeapi.Callee(call.Common())) ||
			depth < maxDepth && slices.ContainsFunc(graph.Callees(call).Funcs, func(next *ssa.Function) bool { return asksDeletion(graph, next, depth+1) })
	})
}

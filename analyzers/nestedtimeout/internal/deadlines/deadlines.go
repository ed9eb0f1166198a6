// Package deadlines follows what becomes of contexts: which timeouts they are
// given, where they are known to have ended, which calls end them, and what
// still needs them.
//
// Where a context comes from is the matter of package contexts; this one looks
// at the paths through a function. Functions of the user's modules say in a
// fact what they do to the contexts that they are handed, so that helpers in
// other packages count.
package deadlines

import (
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// Analyzer follows deadlines; its result is an *[Deadlines].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetdeadlines",
	Doc:        "follow what becomes of contexts: timeouts, cancellation, what still needs them",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Deadlines](),
	FactTypes:  []analysis.Fact{new(Behaviour)},
}

// Deadlines answers for one package.
type Deadlines struct {
	pass     *analysis.Pass
	calls    *calls.Graph
	contexts *contexts.Sources

	mu        sync.Mutex // several analyzers ask at the same time
	Graphs    *paths.Graphs
	events    map[*paths.Graph]*events
	behaviour *facts.Table[Behaviour, *Behaviour]
	// lineages remembers what Lineages has found, from when all that it
	// depends on is known.
	lineages    *sync.Map // ssa.Value -> []Lineage
	implemented sync.Map  // abstract -> []*types.Func
}

func run(pass *analysis.Pass) (any, error) {
	i := &Deadlines{
		pass: pass, calls: pass.ResultOf[calls.Analyzer].(*calls.Graph), contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		Graphs: paths.NewGraphs(pass.ResultOf[calls.Analyzer].(*calls.Graph)),
		events: make(map[*paths.Graph]*events),
	}
	if i.calls.Pkg == nil {
		return i, nil
	}
	i.behaviour = facts.New[Behaviour](pass, i.calls)
	i.behaviour.Fill(rounds, i.behaviourOf)
	clear(i.events)
	i.lineages = new(sync.Map)
	i.behaviour.Export()
	return i, nil
}

// Of returns what the functions that a call may run do to the contexts that
// they are handed; nil if that is not known of all of them.
func (i *Deadlines) Of(call ssa.CallInstruction) *Behaviour {
	targets := i.calls.Callees(call)
	if len(targets.Funcs) == 1 && len(targets.External) == 0 {
		return i.behaviour.Of(targets.Funcs[0])
	}
	if len(targets.Funcs) > 0 {
		return nil
	}
	if !i.isOwn(kubeapi.Callee(call.Common())) {
		return nil
	}
	return i.behaviour.Elsewhere(call)
}

// isOwn reports whether a function belongs to the user's module: what it does
// is told by its behaviour, not by its signature.
func (i *Deadlines) isOwn(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && i.calls.SameModule(fn.Pkg())
}

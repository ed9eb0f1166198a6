// Package objects computes what each function does to the API objects that it
// is handed: which parts of them it changes, through which endpoints it
// persists them, and whether it lets them out of sight. Summaries go bottom-up
// over the package's call graph, and across packages of the user's modules as
// facts on functions.
//
// It reports nothing. Analyzers ask [Summaries.Events] what an instruction
// does, and need not care whether it does so itself or through a helper. A
// [Unit] has the events of a function in the order of its path graph: many a
// rule is a few events and one search. Functions in a cycle of calls are
// summarised again until nothing changes, at most four times.
package objects

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer computes the summaries; its result is a *[Summaries].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetobjects",
	Doc:        "summarise what functions do to API objects",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Summaries](),
	FactTypes:  []analysis.Fact{new(Summary), new(StatusWrites)},
}

// Summaries are the summaries that a package can see.
type Summaries struct {
	Calls   *calls.Graph
	Resolve *paths.Resolver

	local    map[*ssa.Function]*Summary
	imported *facts.Imported[Summary, *Summary]
	statuses map[string]bool
	spliced  map[*ssa.Function]bool

	mu     sync.Mutex // several analyzers ask at the same time
	graphs map[*ssa.Function]*paths.Graph
	units  map[*ssa.Function]*Unit
}

func run(pass *analysis.Pass) (any, error) {
	s := &Summaries{
		Calls:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		local:    make(map[*ssa.Function]*Summary),
		imported: facts.NewImported[Summary](pass),
		statuses: make(map[string]bool),
		spliced:  make(map[*ssa.Function]bool),
		graphs:   make(map[*ssa.Function]*paths.Graph),
		units:    make(map[*ssa.Function]*Unit),
	}
	s.Resolve = paths.NewResolver(s.Calls, s.returned)
	if s.Calls.Pkg == nil {
		return s, nil
	}
	for _, known := range facts.OfPackages[*StatusWrites](pass) {
		for _, kind := range known.Kinds {
			s.statuses[kind] = true
		}
	}
	s.compute()
	for fn, sum := range s.local {
		obj, ok := fn.Object().(*types.Func)
		if ok && (!sum.isZero() || takesObject(obj)) {
			pass.ExportObjectFact(obj, sum)
		}
	}
	s.Calls.ExportInterfaces(pass)
	if len(s.statuses) > 0 {
		pass.ExportPackageFact(&StatusWrites{Kinds: slices.Sorted(maps.Keys(s.statuses))})
	}
	return s, nil
}

// StatusWritten reports whether this package or one that it imports writes the
// status of the kind through the status endpoint.
func (s *Summaries) StatusWritten(kind *types.Named) bool { return s.statuses[kindName(kind)] }

func kindName(kind *types.Named) string {
	return kind.Obj().Pkg().Path() + "." + kind.Obj().Name()
}

// of returns the summary of a function of the user's modules, or nil.
func (s *Summaries) of(fn *types.Func) *Summary {
	fn = fn.Origin()
	if s.Calls.Pkg != nil && fn.Pkg() == s.Calls.Pkg.Pkg {
		if target := s.Calls.Pkg.Prog.FuncValue(fn); target != nil {
			return s.local[target]
		}
		return nil
	}
	return s.imported.Of(fn)
}

// Knows reports whether it is told what a function does to the objects that it is given.
func (s *Summaries) Knows(fn *types.Func) bool { return s.of(fn) != nil }

// returned tells which arguments of a call its index-th result is.
func (s *Summaries) returned(call *ssa.Call, index int) []ssa.Value {
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return nil
	}
	sum := s.of(callee)
	if sum == nil || index >= len(sum.Returns) || sum.Returns[index] < 0 {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	if i := sum.Returns[index]; i < len(operands) {
		return operands[i : i+1]
	}
	return nil
}

// MayBe reports whether two objects may be the same.
func (s *Summaries) MayBe(a, b paths.Object) bool { return s.Resolve.MayBe(a, b) }

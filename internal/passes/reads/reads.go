// Package reads tells what a program does through the clients and caches of its
// controller-runtime managers: which kinds it reads through which client, which it
// watches, and which it writes.
//
// Whether a client is the manager's, which reads from the cache, is not seen where it
// is used: it lies in a field of a reconciler, or is a parameter of a helper. So
// each package notes how clients, managers, builders and objects get from one place
// to another: into fields, variables, parameters and results (a [Flow]). Where the
// program is put together, all that is known of these flows, and a place is what
// all that flows into it is: a client into whose field both the manager's client and
// another one flow is neither.
//
// Places have names that are the same in all packages; calls through interfaces
// and function values go by the name of the method and by the type of the function,
// which may join more than the program does, and so makes the answer less certain,
// never wrong.
package reads

import (
	"go/token"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer gathers what a package and those that it imports read and watch; its
// result is a *[Program].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetreads",
	Doc:        "gather what a program reads from its managers' caches and watches",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Program](),
	FactTypes:  []analysis.Fact{new(Fact)},
}

// Program is what is known in one package.
type Program struct {
	Fact
	// Made are the managers that this package makes, by their ID.
	Made map[string]ssa.CallInstruction
	// Calls is nil if the package was not looked into.
	Calls *calls.Graph

	into map[string][]Flow
	// handsOn are the results of this package's exported functions that are
	// managers.
	handsOn []string
	// passedOn are the managers that these may be, by their ID.
	passedOn map[string]bool

	agree     sync.Once // for what follows; several analyzers may ask at the same time
	standsFor map[string]string
}

// maxFlows and maxUses bound the fact.
const (
	maxFlows  = 40000
	maxUses   = 4000
	maxWrites = 8000
)

func run(pass *analysis.Pass) (any, error) {
	p := &Program{Made: make(map[string]ssa.CallInstruction)}
	for _, imported := range kubeapi.Imports(pass) {
		var fact Fact
		if pass.ImportPackageFact(imported, &fact) {
			p.Flows = append(p.Flows, fact.Flows...)
			p.Uses = append(p.Uses, fact.Uses...)
			p.Writes = append(p.Writes, fact.Writes...)
			p.Managers = append(p.Managers, fact.Managers...)
			p.Left = append(p.Left, fact.Left...)
			p.Switched = append(p.Switched, fact.Switched...)
			p.Full = p.Full || fact.Full
		}
	}
	calls := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	if calls.Pkg != nil && kubeapi.ReachesRuntime(pass) {
		p.Calls = calls
		g := newGatherer(pass, calls, p)
		for _, fn := range calls.All() {
			for instr := range blocks.Instrs(fn) {
				g.instruction(fn, instr)
			}
		}
	}
	p.normalize()
	p.leave(pass)
	// That there is a fact tells that the package was looked into.
	if (p.Calls != nil || len(p.Flows) > 0 || len(p.Uses) > 0 || len(p.Writes) > 0 || len(p.Managers) > 0 || len(p.Switched) > 0 || p.Full) && kubeapi.InUserModule(pass) {
		fact := p.Fact
		fact.Uses = slices.Clone(p.Uses)
		for i := range fact.Uses {
			fact.Uses[i].Pos, fact.Uses[i].Own = token.NoPos, false
		}
		fact.Writes = slices.Clone(p.Writes)
		for i := range fact.Writes {
			fact.Writes[i].Pos, fact.Writes[i].Own = token.NoPos, false
		}
		fact.Managers = slices.Clone(p.Managers)
		for i := range fact.Managers {
			fact.Managers[i].Empty = slices.Clone(fact.Managers[i].Empty)
			for j := range fact.Managers[i].Empty {
				fact.Managers[i].Empty[j].Pos = token.NoPos
			}
		}
		pass.ExportPackageFact(&fact)
	}
	return p, nil
}

// Package controllers puts together what decides whether a reconciler runs, how
// often and at the same time as what: one [Controller] for each place where a
// controller is made, with its watches, the handlers and predicates of each,
// its workers, and what its Reconcile does to API objects.
//
// It knows controller-runtime's builder and controller.New, with watches in helpers of
// the package, client-go's informers with a queue, and knative's NewImpl with handlers.
// What cannot be told is said to be unknown, and never guessed. Predicates and what
// functions do cross packages as facts.
package controllers

import (
	"cmp"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// Analyzer finds the controllers; its result is a *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetcontrollers",
	Doc:        "put controllers together: watches, filters, workers, and what Reconcile does",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Made), new(Predicate), new(Does)},
}

// Made is the fact on a package that makes controllers, or what runs and surrounds
// them.
type Made struct {
	Controllers []Controller
	Managers    []Manager
	Webhooks    []Webhook
}

// IsZero reports whether nothing is made.
func (m *Made) IsZero() bool { return len(m.Controllers)+len(m.Managers)+len(m.Webhooks) == 0 }

// Add adds what others make.
func (m *Made) Add(others Made) {
	m.Controllers = append(slices.Clip(m.Controllers), others.Controllers...)
	m.Managers = append(slices.Clip(m.Managers), others.Managers...)
	m.Webhooks = append(slices.Clip(m.Webhooks), others.Webhooks...)
}

// AFact marks Made as a fact.
func (*Made) AFact() {}

// Predicate is the fact on a function that returns a predicate, on a variable
// that holds one, and on a type that is one.
type Predicate struct{ Filter Filter }

// AFact marks Predicate as a fact.
func (*Predicate) AFact() {}

// Does is the fact on a function, or on an interface method with one
// implementation: what it does to API objects.
type Does struct{ Effects Effects }

// AFact marks Does as a fact.
func (*Does) AFact() {}

// Local is a controller that is made in this package, with its places.
type Local struct {
	Controller
	// Pos is where the controller is made, and WatchPos where each watch of
	// Watches is asked for.
	Pos      token.Pos
	WatchPos []token.Pos
	// Made is the call that makes it; nil for queues of client-go and for knative.
	Made ssa.Instruction
	// Setup is the declared function that makes the controller.
	Setup *ssa.Function
	// FilterPos are the calls of WithEventFilter.
	FilterPos []token.Pos
	// ReconcileFn is the function that reconciles, if it is in this package.
	ReconcileFn *ssa.Function
	// ReconcileObj is that function, wherever it is; nil if it is not known.
	ReconcileObj *types.Func
	// ReconcilerValue is the value that reconciles, as the set-up has it; nil if it
	// is not seen, or may be another one for each of several controllers.
	ReconcilerValue ssa.Value
	// KindTypes are the Go types of the kinds of Watches; nil for those that are
	// not typed, or not known.
	KindTypes []*types.Named
}

// HearsOwnStatus reports whether a change of the status of the reconciled kind certainly runs
// Reconcile again.
func (c *Local) HearsOwnStatus() bool { return c.ownStatus(kinds.Yes) }

// IgnoresOwnStatus reports whether it certainly does not.
func (c *Local) IgnoresOwnStatus() bool { return c.ownStatus(kinds.No) }

// ownStatus reports whether there is a certain answer to whether such a change passes.
func (c *Local) ownStatus(answer kinds.Answer) bool {
	for _, w := range c.Watches {
		if w.Role != For || !w.Kind.IsKnown() || w.Handler.Class != Self {
			continue
		}
		e := Event{Changed: StatusPart | ResourceVersionPart, Deleting: kinds.No, Kind: w.Kind.ID}
		return c.Filter.And(w.Filter).Update.Passes(e) == answer
	}
	return false
}

// HasOneKey reports whether Reconcile certainly runs for objects of one name alone.
func (c *Local) HasOneKey() bool {
	return !c.Open && len(c.Watches) > 0 && !slices.ContainsFunc(c.Watches, func(w Watch) bool {
		return w.Handler.Class != Self || !w.Filter.OneName() && (w.Role == Raw || !c.Filter.OneName())
	})
}

// IsDeafToDeletions reports whether no deletion runs Reconcile for what is gone: neither that of the
// object itself, nor of another one that names it.
func (c *Local) IsDeafToDeletions() bool {
	return !c.Open && len(c.Watches) > 0 && !slices.ContainsFunc(c.Watches, func(w Watch) bool {
		return w.Handler.Class != Self || w.Filter.Delete.Op != False && (w.Role == Raw || c.Filter.Delete.Op != False)
	})
}

// HearsOwned returns the kinds of objects whose change, whatever it is, certainly runs
// Reconcile again for their owner.
func (c *Local) HearsOwned() []string {
	var heard []string
	for _, w := range c.Watches {
		e := Event{Changed: SpecPart | OtherPart | ResourceVersionPart, Deleting: kinds.No, Kind: w.Kind.ID}
		if w.Kind.IsKnown() && w.Handler.Class == Owner && c.Filter.And(w.Filter).Update.Passes(e) == kinds.Yes {
			heard = append(heard, w.Kind.ID)
		}
	}
	return heard
}

// Result is what is known in one package.
type Result struct {
	// Local are the controllers of controller-runtime that this package makes, in source
	// order; Informed are those of client-go.
	Local, Informed []*Local
	// Workers are the functions of client-go's controllers, each as one of its own:
	// several types may have their queue in a struct that they embed.
	Workers []*Local
	// Calls is the call graph; its Pkg is nil if the package was not looked into.
	Calls *calls.Graph

	pass    *analysis.Pass
	effects *effects
	made    Made
}

// Made returns what this package makes.
func (r *Result) Made() Made { return r.made }

// Program returns what this package and those that it imports, directly or not, make.
func (r *Result) Program() Made {
	program := r.made
	for pkg, made := range facts.OfPackages[*Made](r.pass) {
		if pkg != r.pass.Pkg {
			program.Add(*made)
		}
	}
	return program
}

// Of returns what a function does to API objects, one of this package or of
// another of the user's modules.
func (r *Result) Of(fn *types.Func) Effects {
	if r.effects == nil || fn == nil {
		return Effects{Open: true}
	}
	return r.effects.ofFunc(fn)
}

func run(pass *analysis.Pass) (any, error) {
	result := &Result{Calls: pass.ResultOf[calls.Analyzer].(*calls.Graph), pass: pass}
	if result.Calls.Pkg == nil {
		return result, nil
	}
	f := &finder{
		pass: pass, calls: result.Calls,
		read: &literals.Reader{Calls: result.Calls},
	}
	f.effects = &effects{
		finder: f, own: make(map[*ssa.Function][]Access), again: make(map[*ssa.Function]bool), open: make(map[*ssa.Function]bool),
		edges: make(map[*ssa.Function][]edge), all: make(map[*ssa.Function]*summary),
	}
	f.effects.compute()
	result.effects = f.effects
	f.exportPredicates()
	f.controllers()
	for _, c := range f.found {
		c.Does = result.Of(c.ReconcileObj)
	}
	slices.SortStableFunc(f.found, func(a, b *Local) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line))
	})
	f.queueControllers()
	result.Local, result.Informed, result.Workers = f.found, f.informed, f.taking
	for _, c := range slices.Concat(f.found, f.informed) {
		result.made.Controllers = append(result.made.Controllers, c.Controller)
	}
	f.setups(&result.made)
	if !result.made.IsZero() {
		pass.ExportPackageFact(&result.made)
	}
	return result, nil
}

// finder looks at one package.
type finder struct {
	pass    *analysis.Pass
	calls   *calls.Graph
	read    *literals.Reader
	effects *effects
	found   []*Local
	// informed are those of client-go.
	informed []*Local
	taking   []*Local // see Workers of Result
}

func (f *finder) place(pos token.Pos) Place {
	if !pos.IsValid() {
		return Place{}
	}
	at := f.pass.Fset.Position(pos)
	return Place{Package: f.pass.Pkg.Path(), File: filepath.Base(at.Filename), Line: at.Line}
}

// TypeID names a type, or what it points to, across packages; empty if it has no
// name.
func TypeID(t types.Type) string {
	if named := kubeapi.Named(t); named != nil {
		return kubeapi.KindID(named)
	}
	return ""
}

// Package contexts tells where contexts come from, which deadlines they carry,
// and which contexts and stop channels the code of a function can reach.
//
// A context is followed back through locals, captured variables, merges and the
// calls that derive it, to the call of context.Background, the parameter, the
// field or the request that it begins with. Functions of the user's modules
// that return a context say in a fact where it comes from, so that a helper
// which launders its caller's context counts in every package.
package contexts

import (
	"go/types"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer follows contexts; its result is an *[Sources].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetcontexts",
	Doc:        "tell where contexts come from",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Sources](),
	FactTypes:  []analysis.Fact{new(Returns)},
}

// Kind is a kind of origin of a context.
type Kind uint8

const (
	// Unknown is an origin that cannot be told.
	Unknown Kind = iota
	// Detached is context.Background or context.TODO, or a channel that
	// nobody closes: nothing ends it.
	Detached
	// Severed is context.WithoutCancel: nothing cancels it, on purpose.
	Severed
	// Param is a parameter of the function or, if captured, of one around it.
	Param
	// Field is a context that is kept in a struct.
	Field
	// Request is the context of an HTTP request or a stream.
	Request
	// Global is a context in a package-level variable.
	Global
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"unknown", "detached", "severed", "parameter", "field", "request", "global"}[k]
}

// Origin is where a context may come from.
type Origin struct {
	Kind Kind
	// Root is where the trail ends: the call of context.Background or of a
	// helper that calls it, the parameter, the load of a field.
	Root ssa.Value
	// Field is set for the kind Field.
	Field *types.Var
	// Steps are the derivations from the context that was asked for back to
	// Root, nearest first.
	Steps []Step
}

// Derived reports whether a step of the kind lies between the context that was
// asked for and its root.
func (o Origin) Derived(kind StepKind) bool {
	return slices.ContainsFunc(o.Steps, func(step Step) bool { return step.Kind == kind })
}

// StepKind is a kind of derivation.
type StepKind uint8

const (
	// Value passes everything on: context.WithValue, log.IntoContext, helpers.
	Value StepKind = iota
	// Cancel can be cancelled on its own.
	Cancel
	// Timeout ends by itself: context.WithTimeout, context.WithDeadline.
	Timeout
)

// Step is one derivation of a context from another.
type Step struct {
	// Call derives the context: context.WithTimeout, or the user's helper
	// that does.
	Call *ssa.Call
	Kind StepKind
	// After is the duration of a Timeout, if it is Known.
	After time.Duration
	Known bool
	// Cancel is the function that cancels the context, or nil.
	Cancel ssa.Value

	known bool // to end by Cancel alone: the helper that derives it does nothing else
}

// ByCancel reports whether the context can be cancelled on its own and, as far as this step tells, ends
// only where its cancel function is called: one of signal.NotifyContext may end without.
func (s Step) ByCancel() bool {
	return s.Kind == Cancel && (s.known || s.Call != nil && kubeapi.EndsByCancel(s.Call.Common()))
}

// Sources answers for one package.
type Sources struct {
	pass        *analysis.Pass
	graph       *calls.Graph
	stores      *stores
	usedAsValue map[*ssa.Function]bool

	mu      sync.Mutex // several analyzers ask at the same time
	results map[*ssa.Function][]Result
	returns *facts.Table[Returns, *Returns]
}

func run(pass *analysis.Pass) (any, error) {
	i := &Sources{
		pass: pass, graph: pass.ResultOf[calls.Analyzer].(*calls.Graph),
		usedAsValue: make(map[*ssa.Function]bool), results: make(map[*ssa.Function][]Result),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.returns = facts.New[Returns](pass, i.graph)
	i.stores = newStores(i.graph)
	i.findValues()
	i.export()
	return i, nil
}

// OnlyCalled reports whether a declared function is used for nothing but being
// called in this package.
func (i *Sources) OnlyCalled(fn *ssa.Function) bool {
	return fn.Object() != nil && !i.usedAsValue[fn]
}

// findValues notes the functions that are used as values, so that their callers
// are not all known.
func (i *Sources) findValues() {
	var operands blocks.Operands
	for _, fn := range i.graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			var callee *ssa.Value
			if call, ok := instr.(ssa.CallInstruction); ok && !call.Common().IsInvoke() {
				callee = &call.Common().Value
			}
			for _, operand := range operands.Of(instr) {
				if operand == nil || operand == callee {
					continue
				}
				if used, ok := (*operand).(*ssa.Function); ok {
					if declared, _ := calls.Unwrap(used); declared != nil {
						i.usedAsValue[declared] = true
					}
				}
			}
		}
	}
}

// Package entrypoints finds the places where the ecosystem calls a package's
// code: informer handlers, controller-runtime handlers, predicates and map
// functions, reconcilers, workqueue workers and their sync functions,
// runnables, admission and HTTP handlers, and whatever else
// [kubeapi.EntryKind] lists. It also has the calls that lead on from there, so
// that a rule can say by which path a function is reached.
//
// Code is recognised by types and signatures (see kubeapi's tables). A
// function that hands its parameter on, to be registered or called, exports a
// fact about it, so that helpers in other packages count.
package entrypoints

import (
	"go/token"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds the entry points; its result is a *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetentrypoints",
	Doc:        "find where the Kubernetes ecosystem calls a package's functions",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Callbacks), new(CalledPerItem)},
}

// Callbacks is a fact about a function that takes functions: what it does with
// them. It is exported only for functions of the user's modules.
type Callbacks struct {
	Params []Callback
}

// Callback tells what a function does with its parameter number Index (the
// receiver not counted).
type Callback struct {
	Index int
	Role  kubeapi.Role
}

// AFact marks Callbacks as a fact.
func (*Callbacks) AFact() {}

func (c *Callbacks) String() string {
	s := "callbacks("
	for i, p := range c.Params {
		if i > 0 {
			s += ", "
		}
		s += p.Role.Kind.String()
	}
	return s + ")"
}

// CalledPerItem is a fact about an interface method that the worker of a
// workqueue calls for each item: its implementations are sync functions.
type CalledPerItem struct{}

// AFact marks CalledPerItem as a fact.
func (*CalledPerItem) AFact() {}

func (*CalledPerItem) String() string { return "called per item" }

// Entry is one place where the ecosystem calls a function.
type Entry struct {
	kubeapi.Role
	Fn *ssa.Function
	// Registered is where the function was handed over: the field of a
	// handler's literal, the call that takes it. For a method that is called
	// because its type implements an interface, it is the method itself.
	Registered token.Pos
	// After is set for a worker: only what runs after it, the call that takes
	// an item off the queue, is about that item.
	After ssa.Instruction

	index int // among all of the package
}

// Objects are the parameters of the entry's function that are, or carry, the
// object that the call is about.
func (e *Entry) Objects() []*ssa.Parameter {
	params := calls.Params(e.Fn)
	var found []*ssa.Parameter
	for _, i := range e.Role.Objects {
		if i < len(params) {
			found = append(found, params[i])
		}
	}
	return found
}

// How tells in which way a function is run by a call.
type How uint8

const (
	// Called is an ordinary or deferred call.
	Called How = iota
	// CalledBack is a function handed to something that calls it before it
	// returns.
	CalledBack
	// Once is a function handed to a sync.Once.
	Once
	// Started is a function that the call runs in a goroutine of its own.
	Started
)

// Edge is a way from one function of the package to another.
type Edge struct {
	Site   ssa.CallInstruction
	Callee *ssa.Function
	How    How
}

// Path is how an entry point reaches a function: it is a linked list from the
// function back to the entry.
type Path struct {
	Entry *Entry
	Fn    *ssa.Function
	// Edge led here from Prev; both are nil for the entry's own function.
	Edge *Edge
	Prev *Path
}

// Edges returns the edges of the path, from the entry on.
func (p *Path) Edges() []*Edge {
	var edges []*Edge
	for ; p.Prev != nil; p = p.Prev {
		edges = append(edges, p.Edge)
	}
	slices.Reverse(edges)
	return edges
}

// Handed is a function without a body in the package, such as another one's
// method, that is handed over to be called.
type Handed struct {
	kubeapi.Role
	calls.External
	At ssa.Instruction // the call or store
}

// Result has the entry points of a package.
type Result struct {
	// Entries in source order of their registration.
	Entries []*Entry
	// Handed are the functions from elsewhere in such roles.
	Handed []*Handed

	graph *calls.Graph
	byFn  map[*ssa.Function][]*Entry
	edges map[*ssa.Function][]Edge

	reverse reverse
}

// Of returns the entry points whose function is fn itself.
func (r *Result) Of(fn *ssa.Function) []*Entry { return r.byFn[fn] }

// Edges returns the ways that lead on from fn inside the package, in source
// order.
func (r *Result) Edges(fn *ssa.Function) []Edge { return r.edges[fn] }

// Walk visits, breadth first, the functions reached from the entry: each by a
// shortest path. It goes through an edge only if follow agrees; a nil follow
// goes through all but Started ones.
func (r *Result) Walk(entry *Entry, follow func(from *Path, edge *Edge) bool, visit func(*Path)) {
	if follow == nil {
		follow = func(_ *Path, edge *Edge) bool { return edge.How != Started }
	}
	queue := []*Path{{Entry: entry, Fn: entry.Fn}}
	seen := map[*ssa.Function]bool{entry.Fn: true}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		visit(at)
		edges := r.edges[at.Fn]
		for i := range edges {
			edge := &edges[i]
			if seen[edge.Callee] || at.Prev == nil && !entry.Covers(edge.Site) || !follow(at, edge) {
				continue
			}
			seen[edge.Callee] = true
			queue = append(queue, &Path{Entry: entry, Fn: edge.Callee, Edge: edge, Prev: at})
		}
	}
}

// Covers reports whether an instruction of the entry's own function belongs
// to the call that the entry is about: for a worker, whether it can run after
// an item was taken.
func (e *Entry) Covers(instr ssa.Instruction) bool {
	if e.After == nil || instr.Parent() != e.After.Parent() {
		return true
	}
	return instr == e.After || blocks.Follows(e.After, instr)
}

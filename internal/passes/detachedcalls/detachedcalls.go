// Package detachedcalls finds calls that wait under a context which nothing cancels
// although a live one is in reach: in the function itself, or in one that calls
// it.
//
// A function of the user's modules that waits under a context of its own making
// and has none in reach says so in the fact [Invents], so that callers in other
// packages count; one that waits under a context parameter says so in the fact
// [Waits], so that passing it a detached context counts.
//
// Left out is what is right to be detached: whatever runs after the end of the
// context, in deferred functions, or in a goroutine that nothing waits for; set-up
// code; and contexts whose cancel function is kept.
package detachedcalls

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer finds waiting calls under detached contexts; its result is an
// *[Calls].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetdetachedcalls",
	Doc:        "find calls that wait under a context which nothing cancels",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Calls](),
	FactTypes:  []analysis.Fact{new(Waits), new(Invents), new(Settles), new(Looked), new(MakesUp)},
}

// Waits is a fact about a function that waits under contexts which it gets.
type Waits struct {
	Params  []int    // the parameters, the receiver not counted
	Guessed []int    // those that only the form of what they are handed on to tells
	Works   []Worked // what is done under them, where that is known
}

// Worked is what a function does under one of its parameters.
type Worked struct {
	Param int // the receiver not counted
	Work
}

func (w *Waits) of(param int) heed {
	switch {
	case slices.Contains(w.Params, param):
		return heeds
	case slices.Contains(w.Guessed, param):
		return mayHeed
	}
	return ignores
}

// AFact marks Waits as a fact.
func (*Waits) AFact() {}

func (w *Waits) work(param int) Work {
	for _, worked := range w.Works {
		if worked.Param == param {
			return worked.Work
		}
	}
	return Work{}
}

// Invents is a fact about a function without a context in reach: it, or what it
// calls, waits under a context of its own making.
type Invents struct {
	Root  string   // "context.TODO()"
	Call  string   // what waits under it: "Update"
	Where string   // "reporting/status.go:39"
	Via   []string // the functions on the way there
	Work  Work     // what the call does; the worst, if there are several
	Calls int      // how many there are
}

// AFact marks Invents as a fact.
func (*Invents) AFact() {}

// Settles is a fact about a function that lives until it is told to stop, or
// starts a goroutine that does: what comes before it is starting up.
type Settles struct{}

// AFact marks Settles as a fact.
func (*Settles) AFact() {}

// Looked is a fact about a package: its functions were looked into, so that one
// without the fact [Waits] does not wait under its context.
type Looked struct {
	// Waiting are the methods that wait, sorted: interfaces may be about them.
	Waiting []string
	// Works has what each of them does.
	Works []Work
}

// AFact marks Looked as a fact.
func (*Looked) AFact() {}

// Site is a detached context that a call waits under.
type Site struct {
	// Root makes the context: the call of context.Background or TODO, or of a
	// helper that returns their result; the load of a variable or field that
	// holds nothing else. Nil if the function of another package does.
	Root ssa.Value
	// Call is the first call that waits under it, or the one of the other
	// package's function.
	Call ssa.CallInstruction
	// Calls are all that wait under it, with what they do.
	Calls []Called
	// Elsewhere is set if a function of another package makes the context.
	Elsewhere *Invents
	// Guessed tells that the form of an interface's method is all that says that
	// the call waits.
	Guessed bool
	// Anybody tells that the live context comes from callers that nobody knows,
	// through an interface of the module's that is declared elsewhere.
	Anybody bool
	// Live is the context to use instead, in the function of the site or, if
	// Caller is set, in that.
	Live contexts.Source
	// Caller is the function that has the live context, if it is not the one
	// of the site; Chain has the calls that lead from it to the site, and First is
	// the function that the first of them runs: it takes no context.
	Caller *ssa.Function
	Chain  []ssa.CallInstruction
	First  *ssa.Function
	// Waiter tells for whom the live context stands.
	Waiter Waiter
}

// Called is a call under a detached context.
type Called struct {
	Call ssa.CallInstruction
	Work Work
}

// Fn is the function that has the site.
func (s *Site) Fn() *ssa.Function {
	if instr, ok := s.Root.(ssa.Instruction); ok {
		return instr.Parent()
	}
	return s.Call.Parent()
}

// Pos is where the developer has to edit.
func (s *Site) Pos() token.Pos {
	if s.Root != nil {
		return rootPos(s.Root)
	}
	return s.Call.Pos()
}

// Calls answers for one package.
type Calls struct {
	// Sites are in source order.
	Sites []*Site
	// CommandLine tells that the package seems to be a part of a command: that ends
	// with its user's patience. What servers use of it does not.
	CommandLine bool

	mu sync.Mutex // several analyzers may ask at the same time
	c  *computer
}

// Methods returns the methods of the package that wait under a context which is their
// parameter, and the worst that each does.
func (i *Calls) Methods() map[*types.Func]Work {
	i.mu.Lock()
	defer i.mu.Unlock()
	found := make(map[*types.Func]Work)
	for fn, params := range i.c.waits {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != i.c.pass.Pkg || obj.Signature().Recv() == nil {
			continue
		}
		for index, level := range params {
			if work := i.c.works[fn][index]; level == heeds && (found[obj] == (Work{}) || work.Worse(found[obj])) {
				found[obj] = work
			}
		}
	}
	return found
}

// Heeds reports whether the call goes on only while the context that is its
// operand number index (the receiver counted) lives.
func (i *Calls) Heeds(call ssa.CallInstruction, index int) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.c.waitsUnder(call, index) == heeds
}

// NeverLive reports whether nothing can cancel the context that a parameter is.
func (i *Calls) NeverLive(p *ssa.Parameter) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return kubeapi.IsContext(p.Type()) && i.c.neverLive(p)
}

func run(pass *analysis.Pass) (any, error) {
	c := &computer{
		pass:     pass,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		waits:    make(map[*ssa.Function]map[int]heed),
		works:    make(map[*ssa.Function]map[int]Work),
		waiters:  make(map[*ssa.Parameter]Waiter),
		methods:  make(map[string][]*ssa.Function),
		imported: make(map[*types.Package]map[string]Work),
		into:     make(map[*ssa.Function][]entrypoints.Edge),
		cleans:   make(map[cleaning]bool),
		ends:     make(map[*ssa.Function][]end),
		joined:   make(map[*ssa.Function]bool),
		settles:  make(map[*ssa.Function][]ssa.Instruction),
		dead:     make(map[*ssa.Parameter]bool),
	}
	info := &Calls{c: c}
	if c.graph.Pkg == nil || kubeapi.ServesTests(pass) {
		return info, nil
	}
	for _, fn := range c.graph.Funcs {
		for _, edge := range c.entries.Edges(fn) {
			c.into[edge.Callee] = append(c.into[edge.Callee], edge)
			if edge.How != entrypoints.Started {
				continue
			}
			from := edge.Site.Parent()
			if _, known := c.joined[from]; !known {
				c.joined[from] = joined(from)
			}
		}
	}
	c.exportSettles()
	c.exportMakesUp()
	c.findUses()
	c.findMethods()
	c.findWaits()
	c.exportLooked()
	info.Sites = c.sites()
	info.CommandLine = kubeapi.IsCommandLine(pass)
	c.graph.ExportInterfaces(pass)
	return info, nil
}

// computer finds the sites of one package.
type computer struct {
	pass     *analysis.Pass
	graph    *calls.Graph
	contexts *contexts.Sources
	entries  *entrypoints.Result

	uses   []use
	waits  map[*ssa.Function]map[int]heed // parameters, the receiver counted
	works  map[*ssa.Function]map[int]Work // the same ones
	into   map[*ssa.Function][]entrypoints.Edge
	cleans map[cleaning]bool
	ends   map[*ssa.Function][]end
	joined map[*ssa.Function]bool // of functions that start goroutines, see joined

	methods  map[string][]*ssa.Function // of this package, that get contexts
	imported map[*types.Package]map[string]Work

	settles map[*ssa.Function][]ssa.Instruction
	dead    map[*ssa.Parameter]bool // contexts that nothing can cancel
	waiters map[*ssa.Parameter]Waiter
}

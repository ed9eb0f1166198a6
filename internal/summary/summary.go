// Package summary computes what each function does to the API objects that it
// is handed: which parts of them it changes, through which endpoints it
// persists them, and whether it lets them out of sight. Summaries go bottom-up
// over the package's call graph, and across packages of the user's modules as
// facts on functions.
//
// It reports nothing. Analyzers ask [Summaries.Events] what an instruction
// does, and need not care whether it does so itself or through a helper.
package summary

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer computes the summaries; its result is a *[Summaries].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetsummary",
	Doc:        "summarise what functions do to API objects",
	Requires:   []*analysis.Analyzer{callgraph.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Summaries](),
	FactTypes:  []analysis.Fact{new(Func), new(StatusWrites)},
}

// Func is the summary of a function, and the fact on it.
type Func struct {
	// Params has an entry for each parameter, the receiver first.
	Params []Param
	// Returns tells for each result which parameter it is, or -1.
	Returns []int
	// Fresh lists for each result that is an object of the function's own
	// what has been changed in it and not persisted, as [Param.Mutates] does.
	Fresh [][]string
	// StatusOf lists the kinds whose status the function, or one that it
	// calls, writes through the status endpoint: what it leaves in such an
	// object's status it has taken care of.
	StatusOf []string
}

// AFact marks a fact on a function.
func (*Func) AFact() {}

// Param is what a function does to one parameter.
type Param struct {
	// Mutates lists the paths (Go field names, joined by dots) that may have
	// been changed in memory and not persisted when the function returns.
	Mutates []string
	// Writes lists how it, or an object that it leads to, may have been
	// persisted.
	Writes []Write
	// Refreshes lists the paths to objects that may have been overwritten by
	// what the API server or another object has; "" is the parameter itself.
	Refreshes []string
	// Handoffs lists the paths to objects that may go where this analysis
	// cannot follow them.
	Handoffs []string
	// Calls tells that it is a function, called before this one returns.
	Calls bool
}

// Write is one way in which an object is persisted.
type Write struct {
	Path     string // from the parameter to the object; "" is itself
	Verb     kubeapi.Verb
	Endpoint kubeapi.Endpoint
	InMemory bool // the server's answer is stored into the object
	Partial  bool // a patch of which it is not known what it stores
}

func (p Param) isZero() bool {
	return len(p.Mutates) == 0 && len(p.Writes) == 0 && len(p.Refreshes) == 0 && len(p.Handoffs) == 0 && !p.Calls
}

// persists returns the writes as a caller has to see them: a helper that may
// write either endpoint of an object chooses, as patch helpers do, what needs
// writing.
func (p Param) persists() []Write {
	all := make(map[string]kubeapi.Endpoint)
	for _, w := range p.Writes {
		all[w.Path] |= w.Endpoint
	}
	var writes []Write
	for _, w := range p.Writes {
		if all[w.Path]&kubeapi.BothEndpoints == kubeapi.BothEndpoints {
			if slices.ContainsFunc(writes, func(seen Write) bool { return seen.Path == w.Path }) {
				continue
			}
			w.Endpoint = kubeapi.BothEndpoints
		}
		writes = append(writes, w)
	}
	return writes
}

// StatusWrites is the package fact of the kinds whose status is written by
// this package or one that it imports.
type StatusWrites struct {
	Kinds []string // sorted
}

// AFact marks a fact on a package.
func (*StatusWrites) AFact() {}

// Summaries are the summaries that a package can see.
type Summaries struct {
	Calls   *callgraph.Graph
	Resolve *flow.Resolver

	local    map[*ssa.Function]*Func
	imported map[*types.Func]*Func
	statuses map[string]bool
	spliced  map[*ssa.Function]bool

	mu     sync.Mutex // several analyzers ask at the same time
	graphs map[*ssa.Function]*flow.Graph
	units  map[*ssa.Function]*Unit
}

func run(pass *analysis.Pass) (any, error) {
	s := &Summaries{
		Calls:    pass.ResultOf[callgraph.Analyzer].(*callgraph.Graph),
		local:    make(map[*ssa.Function]*Func),
		imported: make(map[*types.Func]*Func),
		statuses: make(map[string]bool),
		spliced:  make(map[*ssa.Function]bool),
		graphs:   make(map[*ssa.Function]*flow.Graph),
		units:    make(map[*ssa.Function]*Unit),
	}
	s.Resolve = flow.NewResolver(s.Calls, s.returned)
	if s.Calls.Pkg == nil {
		return s, nil
	}
	for _, fact := range pass.AllObjectFacts() {
		if fn, ok := fact.Object.(*types.Func); ok {
			s.imported[fn] = fact.Fact.(*Func)
		}
	}
	for _, fact := range pass.AllPackageFacts() {
		if known, ok := fact.Fact.(*StatusWrites); ok {
			for _, kind := range known.Kinds {
				s.statuses[kind] = true
			}
		}
	}
	s.compute()
	for fn, sum := range s.local {
		obj, ok := fn.Object().(*types.Func)
		if ok && (!sum.isZero() || takesObject(obj)) {
			pass.ExportObjectFact(obj, sum)
		}
	}
	if len(s.statuses) > 0 {
		fact := new(StatusWrites)
		for kind := range s.statuses {
			fact.Kinds = append(fact.Kinds, kind)
		}
		slices.Sort(fact.Kinds)
		pass.ExportPackageFact(fact)
	}
	return s, nil
}

// takesObject reports whether a function has a parameter for an API object:
// that it leaves it alone is worth telling, too.
func takesObject(fn *types.Func) bool {
	if recv := fn.Signature().Recv(); recv != nil && kubeapi.IsObject(recv.Type()) {
		return true
	}
	for param := range fn.Signature().Params().Variables() {
		if kubeapi.IsObject(param.Type()) {
			return true
		}
	}
	return false
}

func (f *Func) isZero() bool {
	return len(f.StatusOf) == 0 && !slices.ContainsFunc(f.Params, func(p Param) bool { return !p.isZero() }) &&
		!slices.ContainsFunc(f.Returns, func(i int) bool { return i >= 0 }) &&
		!slices.ContainsFunc(f.Fresh, func(paths []string) bool { return len(paths) > 0 })
}

// maxRounds bounds the fixed point of mutually recursive functions.
const maxRounds = 4

// compute summarises all functions, bottom-up; those whose callees change
// later, through recursion, once more.
func (s *Summaries) compute() {
	order := bottomUp(s.Calls)
	position := make(map[*ssa.Function]int, len(order))
	for i, fn := range order {
		position[fn] = i
	}
	dirty := make([]bool, len(order))
	for i := range dirty {
		dirty[i] = true
	}
	for range maxRounds {
		again := false
		for i, fn := range order {
			if !dirty[i] {
				continue
			}
			dirty[i] = false
			delete(s.units, fn)
			sum := s.summarise(s.Unit(fn))
			if old := s.local[fn]; old != nil && reflect.DeepEqual(old, sum) || old == nil && sum.isZero() {
				s.local[fn] = sum
				continue
			}
			s.local[fn] = sum
			for _, call := range s.Calls.Callers(fn) {
				if at, ok := position[call.Parent()]; ok && at <= i {
					dirty[at] = true
					again = true
				}
			}
		}
		if !again {
			break
		}
	}
	for _, fn := range order {
		for _, site := range s.Unit(fn).Sites {
			if site.Kind == Written && site.Write.Endpoint&kubeapi.StatusEndpoint != 0 && site.Type != nil {
				s.statuses[kindName(site.Type)] = true
			}
		}
	}
}

// bottomUp orders the declared functions and literals of a package so that
// callees come before their callers where there is no recursion.
func bottomUp(calls *callgraph.Graph) []*ssa.Function {
	var order []*ssa.Function
	done := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if done[fn] || len(fn.Blocks) == 0 {
			return
		}
		done[fn] = true
		for _, literal := range fn.AnonFuncs {
			visit(literal)
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, callee := range calls.Callees(call).Funcs {
						visit(callee)
					}
				}
			}
		}
		order = append(order, fn)
	}
	for _, fn := range calls.Funcs {
		visit(fn)
	}
	return order
}

// Unit is a function with the literals that are part of its path graph, and
// what happens to objects in it.
type Unit struct {
	Fn     *ssa.Function
	Graph  *flow.Graph
	Sites  []Site    // in the order of the graph's nodes
	events [][]Event // by the index of the node
}

// Site is an event at a node.
type Site struct {
	Event
	Node *flow.Node
}

// At returns what happens to objects at a node of the unit.
func (u *Unit) At(n *flow.Node) []Event { return u.events[n.Index()] }

// Unit returns the unit of a function of this package.
func (s *Summaries) Unit(fn *ssa.Function) *Unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.units[fn]
	if ok {
		return u
	}
	g, ok := s.graphs[fn]
	if !ok {
		g = flow.NewGraph(fn, s.Calls, s.runs)
		s.graphs[fn] = g
	}
	u = &Unit{Fn: fn, Graph: g, events: make([][]Event, len(g.Nodes))}
	for _, n := range g.Nodes {
		events := s.at(n)
		if len(events) == 0 {
			continue
		}
		u.events[n.Index()] = events
		for _, e := range events {
			u.Sites = append(u.Sites, Site{e, n})
		}
	}
	s.units[fn] = u
	return u
}

// Units returns the functions to look at one by one: all declared functions,
// and the literals that are not part of the graph of the function around them.
func (s *Summaries) Units() []*ssa.Function {
	var units []*ssa.Function
	for _, fn := range s.Calls.Funcs {
		if len(fn.Blocks) > 0 && (fn.Parent() == nil || !s.spliced[fn]) {
			units = append(units, fn)
		}
	}
	return units
}

// StatusWritten reports whether this package or one that it imports writes the
// status of the kind through the status endpoint.
func (s *Summaries) StatusWritten(kind *types.Named) bool { return s.statuses[kindName(kind)] }

func kindName(kind *types.Named) string {
	return kind.Obj().Pkg().Path() + "." + kind.Obj().Name()
}

// of returns the summary of a function of the user's modules, or nil.
func (s *Summaries) of(fn *types.Func) *Func {
	fn = fn.Origin()
	if s.Calls.Pkg != nil && fn.Pkg() == s.Calls.Pkg.Pkg {
		if target := s.Calls.Pkg.Prog.FuncValue(fn); target != nil {
			return s.local[target]
		}
		return nil
	}
	return s.imported[fn]
}

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

// summarise computes the summary of one function from its events.
func (s *Summaries) summarise(u *Unit) *Func {
	fn := u.Fn
	sum := &Func{Params: make([]Param, len(fn.Params))}
	for _, site := range u.Sites {
		if !mayBeParam(site.Place.Object) {
			continue
		}
		for _, object := range s.Resolve.Roots(site.Place.Object) {
			if index := paramIndex(fn, object.Root); index >= 0 {
				site.Place.Object = object
				s.note(u, site, &sum.Params[index])
			}
		}
	}
	for _, n := range u.Graph.Nodes {
		if n.Frame.Fn != fn && n.Frame.Fn.Parent() != nil {
			s.spliced[n.Frame.Fn] = true
		}
		if call, ok := n.Instr.(ssa.CallInstruction); ok && !isGo(call) {
			for _, v := range s.called(call.Common()) {
				if index := paramIndex(fn, v); index >= 0 {
					sum.Params[index].Calls = true
				}
			}
		}
	}
	sum.StatusOf = s.statusOf(u)
	sum.Returns = s.results(fn)
	sum.Fresh = s.fresh(u)
	for i := range sum.Params {
		slices.Sort(sum.Params[i].Mutates)
	}
	return sum
}

// mayBeParam leaves out objects that are no parameter for sure.
func mayBeParam(o flow.Object) bool {
	switch o.Root.(type) {
	case *ssa.Parameter, *ssa.Phi:
		return true
	case *ssa.Alloc:
		return strings.HasPrefix(o.Path, ".*")
	}
	return false
}

// called returns the function values that a call runs: what it calls, or hands
// to a function that calls it.
func (s *Summaries) called(common *ssa.CallCommon) []ssa.Value {
	var found []ssa.Value
	if !common.IsInvoke() {
		found = append(found, common.Value)
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return found
	}
	_, args := kubeapi.Args(common)
	for i, arg := range args {
		if change, ok := arg.(*ssa.ChangeType); ok {
			arg = change.X // func() error as a MutateFn
		}
		if s.runs(callee, i) {
			found = append(found, arg)
		}
	}
	return found
}

// anyKind stands for the kind of an object that is not known.
const anyKind = "*"

// statusOf lists the kinds whose status a function writes.
func (s *Summaries) statusOf(u *Unit) []string {
	var kinds []string
	for _, site := range u.Sites {
		if site.Kind != Written || site.Write.Endpoint&kubeapi.StatusEndpoint == 0 {
			continue
		}
		if site.Type == nil {
			kinds = add(kinds, anyKind)
		} else {
			kinds = add(kinds, kindName(site.Type))
		}
	}
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		callees, _ := s.callees(call.Common(), call)
		for _, c := range callees {
			for _, kind := range c.sum.StatusOf {
				kinds = add(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// settles reports whether the function writes the status of the kind.
func (f *Func) settles(kind *types.Named) bool {
	return slices.Contains(f.StatusOf, anyKind) || kind != nil && slices.Contains(f.StatusOf, kindName(kind))
}

// paramIndex returns which parameter of fn a value is, or -1.
func paramIndex(fn *ssa.Function, v ssa.Value) int {
	param, ok := v.(*ssa.Parameter)
	if !ok {
		return -1
	}
	return slices.Index(fn.Params, param)
}

func isGo(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Go)
	return ok
}

// note adds one event on a parameter to its summary.
func (s *Summaries) note(u *Unit, site Site, p *Param) {
	e := site.Event
	path := e.Place.Object.Path
	object := strings.TrimPrefix(path, ".")
	switch e.Kind {
	case Mutated:
		if !e.Empty && s.pending(u, site) {
			p.Mutates = add(p.Mutates, strings.Join(e.Place.FullPath(), "."))
		}
	case Written:
		w := e.Write
		w.Path = object
		p.Writes = add(p.Writes, w)
	case Refreshed:
		p.Refreshes = add(p.Refreshes, object)
	case HandedOff:
		if object == "" || e.Arg != nil && kubeapi.IsObject(e.Arg.Type()) {
			p.Handoffs = add(p.Handoffs, object)
		}
	}
}

// add appends an entry to a list of a summary, which stays small.
func add[T comparable](list []T, entry T) []T {
	if len(list) >= maxEntries || slices.Contains(list, entry) {
		return list
	}
	return append(list, entry)
}

const maxEntries = 24

// pending reports whether a change can still be unpersisted on return.
func (s *Summaries) pending(u *Unit, set Site) bool {
	want := kubeapi.MainEndpoint
	if set.Place.Aspect() == kubeapi.Status {
		want = kubeapi.StatusEndpoint
	}
	persists := func(e Event) bool {
		return e.Kind == Written && e.Place.Object == set.Place.Object && (e.Write.Endpoint&want != 0 || e.Write.InMemory)
	}
	if !slices.ContainsFunc(u.Sites, func(later Site) bool { return persists(later.Event) }) {
		return true
	}
	_, found := u.Graph.Search(set.Node, 0, Changed(set.Node), func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
		if u.Graph.IsExit(n) {
			return stage, flow.Found
		}
		if slices.ContainsFunc(u.At(n), persists) {
			return stage, flow.Prune
		}
		return stage, flow.Continue
	})
	return found
}

// fresh tells what has been changed in the objects that a function makes and
// returns.
func (s *Summaries) fresh(u *Unit) [][]string {
	var fresh [][]string
	for _, block := range u.Fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for i, v := range ret.Results {
			if !isPointerLike(v.Type()) || !mayHoldObject(v.Type()) || s.kindOf(v) == nil {
				continue
			}
			object := s.Resolve.Place(v).Object
			if _, local := object.Root.(*ssa.Alloc); !local || object.Path != "" {
				continue
			}
			for _, site := range u.Sites {
				if site.Kind != Mutated || site.Empty || site.Place.Object != object || !s.pending(u, site) {
					continue
				}
				if fresh == nil {
					fresh = make([][]string, len(ret.Results))
				}
				fresh[i] = add(fresh[i], strings.Join(site.Place.FullPath(), "."))
			}
		}
	}
	return fresh
}

// Changed is what is known after a call that has changed something: if it
// returns a bool, that tells by convention whether it has.
func Changed(n *flow.Node) map[ssa.Value]flow.Truth {
	assume := make(map[ssa.Value]flow.Truth)
	for _, v := range flow.Results(n, isBool) {
		assume[v] = flow.True
	}
	return assume
}

func isBool(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

// results tells which parameter each result is, if it is the same one
// wherever the function returns.
func (s *Summaries) results(fn *ssa.Function) []int {
	var returns []int
	first := true
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		if first {
			returns = make([]int, len(ret.Results))
		}
		for i, v := range ret.Results {
			which := -1
			if p := s.Resolve.Place(v); len(p.FullPath()) == 0 {
				which = slices.IndexFunc(fn.Params, func(param *ssa.Parameter) bool { return p.Object.Root == param })
			}
			if first {
				returns[i] = which
			} else if returns[i] != which {
				returns[i] = -1
			}
		}
		first = false
	}
	return returns
}

// MayBe reports whether two objects may be the same.
func (s *Summaries) MayBe(a, b flow.Object) bool { return s.Resolve.MayBe(a, b) }

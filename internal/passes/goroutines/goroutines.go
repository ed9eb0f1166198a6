// Package goroutines tells which goroutines a function leaves behind: those
// that it starts, itself or in what it calls, that go on when it has
// returned, and of which nothing bounds the number.
//
// A goroutine is not left behind if somebody on the way waits for it, ends it
// (by a context or channel that is cancelled or closed), hands out or keeps
// what ends it, starts it only when remembered state says that it does not run
// yet, stops the previous one first, or takes a slot of a semaphore for it;
// nor if it returns at once. What cannot be told counts as bounded.
//
// Functions of the user's modules that leave goroutines behind say so in a
// fact, so that the calls in other packages count.
package goroutines

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer finds the goroutines that functions leave behind; its result is an
// *[Starts].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetgoroutines",
	Doc:        "find goroutines that outlive the call that starts them",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Starts](),
	FactTypes:  []analysis.Fact{new(Leaves)},
}

// Leaves is a fact about a function that leaves goroutines behind.
type Leaves struct {
	Goroutines []Goroutine
	// Raises tells that an error of the function says that a write has failed: see [Write].
	Raises bool
}

// Goroutine describes a goroutine that a function of another package leaves
// behind.
type Goroutine struct {
	Where   string // "metrics/server.go:227"
	Via     []string
	Endless bool
	Stuck   bool
	// Contexts are the parameters (the receiver counted) whose cancellation
	// ends it.
	Contexts []int
	// Captured are the parameters (the receiver counted) with an API object
	// that it holds.
	Captured []int
	// Lost and LostAt tell of a write that is lost if it fails: see [Write].
	Lost, LostAt string
	// Missed and MissedAt tell of a variable that it sets and that is read too early: see
	// [Missed].
	Missed, MissedAt string
	// Polls is where it reads an object until that succeeds: see [Poll].
	Polls string
	// Runs are the parameters (the receiver counted) that it calls, Drops those of them
	// whose errors it drops.
	Runs, Drops []int
}

// AFact marks Leaves as a fact.
func (*Leaves) AFact() {}

// IsZero reports whether nothing is known.
func (l *Leaves) IsZero() bool { return len(l.Goroutines) == 0 && !l.Raises }

func (l *Leaves) String() string {
	if l.Raises && len(l.Goroutines) == 0 {
		return "raises"
	}
	s := "leaves("
	for i, g := range l.Goroutines {
		if i > 0 {
			s += ", "
		}
		s += g.Where
	}
	return s + ")"
}

// Leak is a goroutine that a function leaves behind.
type Leak struct {
	// Chain has the calls that lead from the function to the goroutine; the
	// last is what starts it: a go statement or its like, or the call of a
	// function of another package.
	Chain []ssa.CallInstruction
	// Spawn is the goroutine, nil if another package starts it.
	Spawn *Spawn
	// Elsewhere describes the goroutine if another package starts it.
	Elsewhere *Goroutine
	// Endless tells that it goes on until it is told to stop.
	Endless bool
	// Stuck tells that it waits forever if its caller gives up waiting.
	Stuck bool
	// Object is the type of an API object that it holds, or nil.
	Object types.Type
	// Lost is a write of the goroutine which nobody does again if it fails, or nil.
	Lost *Write
	// Poll is a read that it repeats until that succeeds, or nil.
	Poll *Poll
	// Missed is what it sets and its starter reads too early, or nil.
	Missed *Missed

	losses   *losses
	inside   *body           // what it does, if this package starts it
	handed   []*ssa.Function // of this package, if another one starts it
	handles  handles
	bonds    []bond
	captured []*ssa.Parameter // API objects that it holds, seen from the function
	shared   bool             // others have one of the objects as well, for all that is seen so far
}

// Start is the instruction that starts the goroutine, in this package.
func (l *Leak) Start() ssa.CallInstruction { return l.Chain[len(l.Chain)-1] }

// At is the instruction of the function itself that leads to the goroutine.
func (l *Leak) At() ssa.CallInstruction { return l.Chain[0] }

// runsFunction reports whether the goroutine runs a function, itself or in what it calls.
func (l *Leak) runsFunction(fn *ssa.Function) bool {
	return slices.Contains(l.handed, fn) || l.inside != nil && slices.ContainsFunc(l.inside.instrs, func(in located) bool { return in.instr.Parent() == fn })
}

// Synchronised reports whether the goroutine tells somebody when it is done, or takes a lock.
func (l *Leak) Synchronised() bool {
	if slices.ContainsFunc(l.bonds, func(n bond) bool { return n.kind != stop }) {
		return true
	}
	return l.inside != nil && slices.ContainsFunc(l.inside.instrs, func(in located) bool {
		call, ok := in.instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		callee := kubeapi.Callee(call.Common())
		return callee != nil && kubeapi.IsLocking(callee)
	})
}

// Starts answers for one package.
type Starts struct {
	leaks map[*ssa.Function][]*Leak

	mu    sync.Mutex // several analyzers may ask at the same time
	state *analysisState
}

// Leaks returns the goroutines that fn leaves behind.
func (i *Starts) Leaks(fn *ssa.Function) []*Leak { return i.leaks[fn] }

// Bounds on what is kept for one function.
const (
	maxLeaks = 24
	maxChain = 24
	maxTurns = 12
)

func run(pass *analysis.Pass) (any, error) {
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	info := &Starts{leaks: make(map[*ssa.Function][]*Leak)}
	if graph.Pkg == nil {
		return info, nil
	}
	c := &computer{
		pass: pass, info: info, leaves: facts.New[Leaves](pass, graph),
		entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		state: &analysisState{graph: graph, states: make(map[ssa.Value]stateKey), written: make(map[*ssa.Function]map[stateKey]bool), below: make(map[*ssa.Function]map[stateKey]bool), ends: make(map[*ssa.Function]bool),
			events: make(map[*ssa.Function][]event), bodies: make(map[ssa.CallInstruction]*body)},
	}
	info.state = c.state
	c.state.leaves = c.leaves
	c.state.limited = c.limits()
	for _, fn := range graph.Funcs {
		c.own(fn)
	}
	// Callers inherit from callees, until nothing changes.
	for range maxTurns {
		changed := false
		for _, fn := range graph.Funcs {
			changed = c.inherit(fn) || changed
		}
		if !changed {
			break
		}
	}
	c.export()
	return info, nil
}

type computer struct {
	pass    *analysis.Pass
	info    *Starts
	entries *entrypoints.Result
	state   *analysisState
	leaves  *facts.Table[Leaves, *Leaves]
}

// limits finds the groups whose number of goroutines is bounded.
func (c *computer) limits() map[stateKey]bool {
	limited := make(map[stateKey]bool)
	for _, fn := range c.state.graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if !kubeapi.IsSetLimit(kubeapi.Callee(call.Common())) {
				continue
			}
			if recv, _ := kubeapi.Args(call.Common()); recv != nil {
				if key := c.state.stateOf(recv); key != nil {
					limited[key] = true
				}
			}
		}
	}
	return limited
}

// own finds the goroutines that fn starts itself, and those that functions of
// other packages start for it.
func (c *computer) own(fn *ssa.Function) {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if spawn := spawnOf(c.state.graph, call); spawn != nil {
			if leak := c.spawned(fn, spawn); leak != nil {
				c.add(fn, leak)
			}
			continue
		}
		c.elsewhere(fn, call)
	}
}

// spawned decides about one goroutine in the function that starts it.
func (c *computer) spawned(fn *ssa.Function, s *Spawn) *Leak {
	a := c.state
	b := a.bodyOf(s)
	if a.harmless(s, b) {
		return nil
	}
	if s.Group != nil {
		if key := a.stateOf(s.Group); key != nil && a.limited[key] {
			return nil
		}
		if len(s.Bodies) == 0 {
			return nil // nothing is known of what it runs
		}
	}
	if s.Timer && c.timerKept(s) {
		return nil
	}
	h := a.handlesOf(s, b)
	if a.guarded(s.Call, b, h) {
		return nil
	}
	leak := &Leak{handles: h, Chain: []ssa.CallInstruction{s.Call}, Spawn: s, Endless: c.endless(s), bonds: a.bondsOf(s, b)}
	c.captures(leak, s)
	leak.inside, leak.losses = b, a.lossesOf(s, b)
	leak.Lost = leak.losses.write
	leak.Missed = missed(leak, s.Call)
	leak.Poll = a.pollOf(s, b)
	return c.settle(fn, leak)
}

// endless reports whether a goroutine goes on until it is told to stop.
func (c *computer) endless(s *Spawn) bool {
	if s.Callee != nil {
		return kubeapi.IsEndless(s.Callee)
	}
	return slices.ContainsFunc(s.Bodies, func(fn *ssa.Function) bool { return c.state.endless(fn, 0) })
}

// timerKept reports whether the timer of time.AfterFunc is kept or stopped.
func (c *computer) timerKept(s *Spawn) bool {
	call, ok := s.Call.(*ssa.Call)
	if !ok {
		return false
	}
	if c.state.escapes(call, make(map[ssa.Value]bool)) {
		return true
	}
	for use := range blocks.UsesOf[ssa.CallInstruction](call) {
		if kubeapi.IsStop(kubeapi.Callee(use.Common())) {
			return true
		}
	}
	return false
}

// elsewhere adds the goroutines that a function of another package leaves
// behind.
func (c *computer) elsewhere(fn *ssa.Function, call ssa.CallInstruction) {
	if _, isGo := call.(*ssa.Go); isGo {
		return
	}
	fact := c.leaves.Elsewhere(call)
	if fact == nil || len(fact.Goroutines) == 0 || c.state.guarded(call, new(body), handles{}) || c.state.askedFirst(call) || c.state.otherStopped(fn, call) {
		return
	}
	args := kubeapi.Operands(call.Common())
	for i := range fact.Goroutines {
		g := &fact.Goroutines[i]
		leak := &Leak{Chain: []ssa.CallInstruction{call}, Elsewhere: g, Endless: g.Endless, Stuck: g.Stuck}
		leak.losses = c.state.lossesElsewhere(g, args)
		leak.Lost = leak.losses.write
		for _, index := range g.Runs {
			if index < len(args) {
				leak.handed = append(leak.handed, c.state.graph.FuncsOf(args[index]).Funcs...)
			}
		}
		if g.Polls != "" {
			leak.Poll = &Poll{Where: g.Polls}
		}
		if leak.Missed = missed(leak, call); g.Missed != "" {
			leak.Missed = &Missed{Variable: g.Missed, Where: g.MissedAt}
		}
		for _, index := range g.Contexts {
			if index < len(args) {
				for _, p := range c.state.contexts(args[index], nil) {
					leak.bonds = append(leak.bonds, bond{kind: stop, place: p})
				}
			}
		}
		for _, index := range g.Captured {
			if index < len(args) {
				c.capture(leak, args[index], nil)
			}
		}
		if leak := c.settle(fn, leak); leak != nil {
			c.add(fn, leak)
		}
	}
}

// settle asks whether fn, in which the goroutine is started or which calls
// what starts it, sees to it; if not, the leak is returned with what the
// callers of fn can still do.
func (c *computer) settle(fn *ssa.Function, leak *Leak) *Leak {
	ended := false
	for _, n := range leak.bonds {
		if root, ok := n.place.root.(*ssa.Call); ok && kubeapi.IsRootContext(kubeapi.Callee(root.Common())) {
			continue // nobody can end it
		}
		switch c.state.holds(fn, leak.At(), n, leak.bonds) {
		case stuck:
			leak.Stuck = true
		case bounded, managed:
			if n.kind == waitGroup {
				return nil
			}
			ended = true
		}
	}
	// A context that ends does not help a goroutine that waits to send.
	if ended && !leak.Stuck {
		return nil
	}
	return leak
}

// inherit adds to fn what its callees leave behind.
func (c *computer) inherit(fn *ssa.Function) bool {
	changed := false
	for _, edge := range c.entries.Edges(fn) {
		switch edge.How {
		case entrypoints.Started, entrypoints.Once:
			continue
		}
		if spawnOf(c.state.graph, edge.Site) != nil {
			continue
		}
		for _, leak := range c.info.leaks[edge.Callee] {
			changed = c.passOn(fn, leak, edge) || changed
		}
	}
	return c.inheritAny(fn) || changed
}

// passOn adds a leak of a callee to its caller, which may see to it.
func (c *computer) passOn(fn *ssa.Function, leak *Leak, edge entrypoints.Edge) bool {
	if c.has(fn, leak) || len(leak.Chain) >= maxChain || c.state.guarded(edge.Site, c.inside(leak), leak.handles) {
		return false
	}
	up := c.settle(fn, c.lift(leak, edge))
	return up != nil && c.add(fn, up)
}

// inheritAny adds to fn the goroutines without end of any implementation of the interfaces that
// it calls, which are followed nowhere else if there are several.
func (c *computer) inheritAny(fn *ssa.Function) bool {
	changed := false
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !call.Call.IsInvoke() || len(c.state.graph.Callees(call).Funcs) > 0 {
			continue
		}
		for _, callee := range c.state.graph.Implementations(call) {
			for _, leak := range c.info.leaks[callee] {
				if leak.Endless {
					changed = c.passOn(fn, leak, entrypoints.Edge{Site: call, Callee: callee, How: entrypoints.Called}) || changed
				}
			}
		}
	}
	return changed
}

// inside returns what a goroutine does that this package starts.
func (c *computer) inside(leak *Leak) *body {
	if leak.Spawn == nil {
		return new(body)
	}
	return c.state.bodyOf(leak.Spawn)
}

// lift sees a leak of a callee from the caller.
func (c *computer) lift(leak *Leak, edge entrypoints.Edge) *Leak {
	up := *leak
	up.Chain = append([]ssa.CallInstruction{edge.Site}, leak.Chain...)
	up.bonds, up.captured = nil, nil
	args := make(map[*ssa.Parameter]ssa.Value)
	switch edge.How {
	case entrypoints.Called:
		bindArgs(args, edge.Callee, edge.Site.Common())
	case entrypoints.CalledBack:
		c.bindCalledBack(args, edge)
	}
	for _, n := range leak.bonds {
		param, ok := n.place.root.(*ssa.Parameter)
		if !ok {
			up.bonds = append(up.bonds, n) // a captured variable of an outer function
			continue
		}
		arg := args[param]
		if arg == nil {
			if param.Parent() != edge.Callee {
				up.bonds = append(up.bonds, n)
			}
			continue
		}
		if kubeapi.IsContext(param.Type()) && n.place.path == "" {
			for _, p := range c.state.contexts(arg, nil) {
				up.bonds = append(up.bonds, bond{kind: n.kind, place: p})
			}
			continue
		}
		up.bonds = append(up.bonds, bond{kind: n.kind, place: c.below(arg, n.place.path), blocking: n.blocking})
	}
	up.losses = leak.losses.lift(args)
	if up.Missed == nil {
		up.Missed = missed(leak, edge.Site)
	}
	for _, param := range leak.captured {
		if arg := args[param]; arg != nil {
			c.capture(&up, arg, nil)
		} else if param.Parent() != edge.Callee {
			up.captured = append(up.captured, param)
		} else {
			up.shared = true
		}
	}
	if len(leak.captured) > 0 && len(up.captured) == 0 && !up.shared {
		up.Object = nil // each is a copy that was made for it
	}
	return &up
}

// bindCalledBack tells what a function gets as its parameters that the called function
// of the package calls back: what that was given, or has itself.
func (c *computer) bindCalledBack(args map[*ssa.Parameter]ssa.Value, edge entrypoints.Edge) {
	for _, between := range c.state.graph.Callees(edge.Site).Funcs {
		given := make(map[*ssa.Parameter]ssa.Value)
		bindArgs(given, between, edge.Site.Common())
		for _, call := range c.state.graph.Callers(edge.Callee) {
			if call.Parent() != between {
				continue
			}
			bindArgs(args, edge.Callee, call.Common())
			for param, arg := range args {
				if handedOn, ok := arg.(*ssa.Parameter); ok && given[handedOn] != nil {
					args[param] = given[handedOn]
				}
			}
		}
	}
}

// below is the place at path below v.
func (c *computer) below(v ssa.Value, path string) place {
	p := c.state.placeOf(v, nil)
	p.path += path
	if made, ok := p.root.(*ssa.Alloc); ok {
		if stored, rest := fieldOfLiteral(made, p.path); stored != nil {
			q := c.state.placeOf(stored, nil)
			q.path += rest
			return q
		}
	}
	return p
}

func (c *computer) has(fn *ssa.Function, leak *Leak) bool {
	return slices.ContainsFunc(c.info.leaks[fn], func(known *Leak) bool {
		return known.Start() == leak.Start() && known.Elsewhere == leak.Elsewhere
	})
}

func (c *computer) add(fn *ssa.Function, leak *Leak) bool {
	if len(c.info.leaks[fn]) >= maxLeaks || c.has(fn, leak) {
		return false
	}
	c.info.leaks[fn] = append(c.info.leaks[fn], leak)
	return true
}

// captures finds the API objects that a goroutine holds: among its arguments
// and captured variables.
func (c *computer) captures(leak *Leak, s *Spawn) {
	common := s.Call.Common()
	values := append([]ssa.Value(nil), common.Args...)
	if common.IsInvoke() {
		values = append(values, common.Value)
	}
	for _, v := range append(values, common.Value) {
		if closure, ok := v.(*ssa.MakeClosure); ok {
			values = append(values, closure.Bindings...)
		}
	}
	for _, v := range values {
		c.capture(leak, v, nil)
	}
}

// capture records that a goroutine holds v, if that is an API object which
// others hold as well: no deep copy.
func (c *computer) capture(leak *Leak, v ssa.Value, e *env) {
	t := v.Type()
	if cell, ok := v.(*ssa.Alloc); ok {
		// A captured variable: what matters is what it holds.
		if stored := c.state.storedReference(cell); stored != nil {
			c.capture(leak, stored, e)
			return
		}
		if c.state.soleCopy(cell) != nil {
			return // a parameter that was handed over by value
		}
		t = cell.Type().Underlying().(*types.Pointer).Elem()
		if _, isPointer := t.Underlying().(*types.Pointer); !isPointer && !types.IsInterface(t) {
			t = cell.Type()
		}
	}
	if !isObjectPointer(t) {
		return
	}
	p := c.state.placeOf(v, e)
	switch root := p.root.(type) {
	case *ssa.Parameter:
		leak.captured = append(leak.captured, root)
		leak.shared = leak.shared || !c.givenAway(leak, p)
		if leak.Object == nil {
			leak.Object = t
		}
		return
	case *ssa.Call:
		if callee := kubeapi.Callee(root.Common()); callee != nil && (callee.Name() == "DeepCopy" || callee.Name() == "DeepCopyObject") {
			leak.shared = leak.shared || !c.givenAway(leak, p)
			return
		}
	case *ssa.Alloc:
		if !fetched(root) {
			leak.shared = true
			return
		}
	}
	leak.Object, leak.shared = t, true
}

// givenAway reports whether a function that starts a goroutine, or calls what does, leaves
// an object alone once that has it: nothing keeps the object before, and nothing is done
// with it afterwards.
func (c *computer) givenAway(leak *Leak, object place) bool {
	start := leak.At()
	if object.path != "" || blocks.Repeats(start.Block()) {
		return false // in a loop, several goroutines may get it
	}
	fields := func(_ ssa.Value, use ssa.Instruction) []ssa.Value {
		if field, ok := use.(*ssa.FieldAddr); ok {
			return []ssa.Value{field}
		}
		return nil
	}
	names := values.Relation{Calls: c.state.graph, Steps: values.Local, Onward: fields}
	for name, use := range names.Uses(object.root) {
		switch {
		case use == nil:
			return false
		case use == start:
		case use.Parent() != start.Parent():
			// Literals are its own, or may run at any time.
			if leak.Spawn == nil || !slices.ContainsFunc(leak.Spawn.Bodies, func(body *ssa.Function) bool { return blocks.Within(use.Parent(), body) }) {
				return false
			}
		case blocks.Follows(start, use) || keeps(use, name):
			return false
		}
	}
	return true
}

// keeps reports whether an instruction puts a value where others find it later.
func keeps(instr ssa.Instruction, v ssa.Value) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		return instr.Val == v
	case *ssa.MapUpdate, *ssa.Send, *ssa.MakeClosure, *ssa.Go, *ssa.Defer:
		return true
	}
	return false
}

// isObjectPointer reports whether t is a pointer to a kind, or an interface
// that stands for one.
func isObjectPointer(t types.Type) bool {
	if !kubeapi.IsObject(t) {
		return false
	}
	_, isPointer := t.Underlying().(*types.Pointer)
	return isPointer || types.IsInterface(t)
}

// fetched reports whether a local object is filled by a client's Get.
func fetched(object *ssa.Alloc) bool {
	for iface := range blocks.UsesOf[*ssa.MakeInterface](object) {
		for call := range blocks.UsesOf[ssa.CallInstruction](iface) {
			if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Verb == kubeapi.Get {
				return true
			}
		}
	}
	return false
}

// export tells other packages which functions leave goroutines behind. Those
// that a caller might wait for are left out: it could not be told.
func (c *computer) export() {
	for _, fn := range c.state.graph.Funcs {
		if fn.Object() != nil && fn.Object().Exported() && c.state.raises(fn) {
			c.leaves.Note(fn).Raises = true
		}
		for _, leak := range c.info.leaks[fn] {
			if g, ok := c.describe(fn, leak); ok {
				fact := c.leaves.Note(fn)
				fact.Goroutines = append(fact.Goroutines, g)
			}
		}
	}
	c.leaves.Export()
}

// describe puts a leak into the words of a fact.
func (c *computer) describe(fn *ssa.Function, leak *Leak) (Goroutine, bool) {
	g := Goroutine{Endless: leak.Endless, Stuck: leak.Stuck}
	for _, n := range leak.bonds {
		param, _ := n.place.root.(*ssa.Parameter)
		i := slices.Index(fn.Params, param)
		if i < 0 {
			continue
		}
		switch {
		case n.kind == stop && n.place.path == "" && kubeapi.IsContext(param.Type()):
			g.Contexts = append(g.Contexts, i)
		case fn.Signature.Recv() != nil && i == 0:
			// A field of the receiver: whoever has the receiver may close
			// it, but then its owner outlives the call.
			if n.kind != stop {
				return g, false
			}
		default:
			return g, false
		}
	}
	for _, param := range leak.captured {
		if i := slices.Index(fn.Params, param); i >= 0 {
			g.Captured = append(g.Captured, i)
		}
	}
	c.describeLosses(&g, fn, leak)
	for _, call := range leak.Chain[:len(leak.Chain)-1] {
		g.Via = append(g.Via, entrypoints.CalleeName(call))
	}
	if leak.Elsewhere != nil {
		g.Where = leak.Elsewhere.Where
		g.Via = append(g.Via, entrypoints.CalleeName(leak.Start()))
		g.Via = append(g.Via, leak.Elsewhere.Via...)
	} else {
		g.Where = c.where(leak.Start().Pos())
	}
	return g, g.Where != ""
}

// where names a place so that it can be found from another package.
func (c *computer) where(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	at := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s/%s:%d", path.Base(c.pass.Pkg.Path()), filepath.Base(at.Filename), at.Line)
}

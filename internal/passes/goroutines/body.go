package goroutines

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// analysisState is what the questions of this package are asked of.
type analysisState struct {
	graph *calls.Graph
	// states caches which state each value is.
	states map[ssa.Value]stateKey
	// written caches which state each function writes, see claims.go.
	written map[*ssa.Function]map[stateKey]bool
	// below caches which state each function and what it calls write, see
	// once.go.
	below map[*ssa.Function]map[stateKey]bool
	// limited are the group fields for which SetLimit is called.
	limited map[stateKey]bool
	// ends caches whether a function never returns by itself.
	ends map[*ssa.Function]bool
	// events and bodies cache what functions and goroutines do.
	events map[*ssa.Function][]event
	bodies map[ssa.CallInstruction]*body
	// groups, waiting and told cache what awaited.go asks.
	groups        map[*ssa.Function][]ssa.Value
	waiting, told []syncPlace
	// leaves has what other packages say of their functions.
	leaves *facts.Table[Leaves, *Leaves]
}

// Bounds of looking into called functions.
const (
	maxLook  = 4
	maxInstr = 6000
	// maxInside bounds what a goroutine does in all, if it may be one of many functions.
	maxInside = 8 * maxInstr
)

// walker goes through a function and what it calls in the package, without
// the goroutines that it starts.
type walker struct {
	a      *analysisState
	seen   map[*ssa.Function]bool
	again  map[*ssa.Function]bool // handed on, and walked through without parameters
	budget int
	visit  func(instr ssa.Instruction, e *env) (found bool)
}

// walk calls visit for each instruction of fn and of the functions that it
// runs in the caller's goroutine, until visit reports that it found something.
func (a *analysisState) walk(fn *ssa.Function, e *env, visit func(ssa.Instruction, *env) bool) bool {
	w := &walker{a: a, seen: make(map[*ssa.Function]bool), budget: maxInstr, visit: visit}
	return w.function(fn, e, 0)
}

// walkFrom does the same for what one instruction of a function calls.
func (a *analysisState) walkFrom(instr ssa.Instruction, visit func(ssa.Instruction, *env) bool) bool {
	w := &walker{a: a, seen: map[*ssa.Function]bool{instr.Parent(): true}, budget: maxInstr, visit: visit}
	return w.call(instr, nil, 0)
}

func (w *walker) function(fn *ssa.Function, e *env, depth int) bool {
	if w.seen[fn] || depth > maxLook {
		return false
	}
	w.seen[fn] = true
	for instr := range blocks.Instrs(fn) {
		if w.budget--; w.budget < 0 {
			return false
		}
		if w.visit(instr, e) || w.call(instr, e, depth) {
			return true
		}
	}
	return false
}

func (w *walker) call(instr ssa.Instruction, e *env, depth int) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if _, ok := call.(*ssa.Go); ok {
		return false
	}
	for _, callee := range w.a.callees(call, e) {
		if w.function(callee, e.inside(call, callee), depth+1) {
			return true
		}
	}
	for _, arg := range call.Common().Args {
		for _, callee := range w.a.callbacks(arg) {
			if w.handed(callee, e, depth+1) {
				return true
			}
		}
	}
	return false
}

// handed walks through a function that a call is handed, and that may be called then. What
// it is called with is not known here, so that it is walked through again where it is
// called.
func (w *walker) handed(fn *ssa.Function, e *env, depth int) bool {
	if w.seen[fn] {
		return false
	}
	found := w.function(fn, e, depth)
	if len(fn.Params) > 0 && !w.again[fn] {
		delete(w.seen, fn)
		if w.again == nil {
			w.again = make(map[*ssa.Function]bool)
		}
		w.again[fn] = true
	}
	return found
}

// callees resolves a call where the parameters of e are known.
func (a *analysisState) callees(call ssa.CallInstruction, e *env) []*ssa.Function {
	common := call.Common()
	if common.IsInvoke() {
		return a.graph.Callees(call).Funcs
	}
	v := common.Value
	for range maxTrace {
		param, ok := v.(*ssa.Parameter)
		if !ok {
			break
		}
		arg, outer := e.lookup(param)
		if arg == nil {
			return nil
		}
		v, e = arg, outer
	}
	return a.graph.FuncsOf(v).Funcs
}

// body sums up what a goroutine does.
type body struct {
	// dones are the wait groups that it leaves; signals the channels that it
	// sends to or closes; waits the channels and contexts that it waits for,
	// or hands to what it calls.
	dones, signals, waits []place
	// blocking are the signals that are plain sends, which wait for a
	// receiver.
	blocking map[place]bool
	// instrs are all instructions that it runs in the package, or too many to look at.
	instrs []located
	// written is the state that they write; nil as long as nobody has asked.
	written map[stateKey]bool
}

type located struct {
	instr ssa.Instruction
	env   *env
}

// writtenIn returns the state that a goroutine writes.
func (a *analysisState) writtenIn(b *body) map[stateKey]bool {
	if b.written == nil {
		b.written = make(map[stateKey]bool)
		for _, in := range b.instrs {
			a.writesOf(in.instr, b.written)
		}
	}
	return b.written
}

// isLarge reports whether a goroutine does more than can be looked at.
func (b *body) isLarge() bool { return len(b.instrs) >= maxInside }

func (a *analysisState) bodyOf(s *Spawn) *body {
	if known, ok := a.bodies[s.Call]; ok {
		return known
	}
	b := &body{blocking: make(map[place]bool)}
	a.bodies[s.Call] = b
	e := &env{args: s.args}
	visit := func(instr ssa.Instruction, e *env) (enough bool) {
		b.instrs = append(b.instrs, located{instr, e})
		a.effect(b, instr, e)
		return b.isLarge()
	}
	for _, fn := range s.Bodies {
		if a.walk(fn, e, visit) {
			break
		}
	}
	// What is handed to the goroutine's function counts as well: go
	// wait.Until(f, period, stop), go informer.Run(stop).
	common := s.Call.Common()
	for _, arg := range common.Args {
		a.handedOn(b, arg, nil)
	}
	if _, ok := s.Call.(*ssa.Go); ok && len(s.Bodies) == 0 {
		for _, arg := range common.Args {
			for _, fn := range a.callbacks(arg) {
				a.walk(fn, nil, visit)
			}
		}
	}
	return b
}

// callbacks are the functions of the package that an argument of a call is; what a parameter is
// each caller knows.
func (a *analysisState) callbacks(arg ssa.Value) []*ssa.Function {
	if _, ok := arg.Type().Underlying().(*types.Signature); !ok {
		return nil
	}
	if _, ok := arg.(*ssa.Parameter); ok {
		return nil
	}
	return a.graph.FuncsOf(arg).Funcs
}

// effect records what one instruction of a goroutine means for others.
func (a *analysisState) effect(b *body, instr ssa.Instruction, e *env) {
	switch instr := instr.(type) {
	case *ssa.Send:
		p := a.placeOf(instr.Chan, e)
		b.signals = append(b.signals, p)
		b.blocking[p] = true
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			a.waitsFor(b, instr.X, e)
		}
	case *ssa.Select:
		for _, state := range instr.States {
			if state.Dir == types.SendOnly {
				b.signals = append(b.signals, a.placeOf(state.Chan, e))
			} else {
				a.waitsFor(b, state.Chan, e)
			}
		}
	case ssa.CallInstruction:
		common := instr.Common()
		if builtin, ok := common.Value.(*ssa.Builtin); ok {
			if builtin.Name() == "close" {
				b.signals = append(b.signals, a.placeOf(common.Args[0], e))
			}
			return
		}
		callee := kubeapi.Callee(common)
		recv, args := kubeapi.Args(common)
		if kubeapi.IsWaitGroupDone(callee) && recv != nil {
			b.dones = append(b.dones, a.placeOf(recv, e))
		}
		for _, arg := range args {
			a.handedOn(b, arg, e)
		}
	}
}

// waitsFor records that a goroutine receives from a channel: of its own, or a
// context's.
func (a *analysisState) waitsFor(b *body, ch ssa.Value, e *env) {
	if ctx := kubeapi.DoneOf(ch); ctx != nil {
		b.waits = append(b.waits, a.contexts(ctx, e)...)
		return
	}
	b.waits = append(b.waits, a.placeOf(ch, e))
}

// handedOn records contexts and channels that a goroutine passes on.
func (a *analysisState) handedOn(b *body, arg ssa.Value, e *env) {
	if kubeapi.IsContext(arg.Type()) {
		b.waits = append(b.waits, a.contexts(arg, e)...)
	} else if _, ok := arg.Type().Underlying().(*types.Chan); ok {
		a.waitsFor(b, arg, e)
	}
}

// harmless reports whether a goroutine returns at once or merely passes
// something on: it logs, counts, adds to a queue, sends to a channel; or it is
// a bridge that waits for one signal and then cancels, closes or stops
// something. Of one that does too much to be looked at, nothing is told.
func (a *analysisState) harmless(s *Spawn, b *body) bool {
	if b.isLarge() {
		return true
	}
	if len(s.Bodies) == 0 {
		// Stopping is bounded by what there is to stop; a factory's Start lets each
		// informer run once, however often it is called, and returns.
		op, starts := kubeapi.InformerOpOf(s.Call)
		return starts && op.Verb == kubeapi.StartFactory && !op.Cache || kubeapi.IsHarmless(s.Callee) || kubeapi.IsStop(s.Callee) || kubeapi.IsCancel(s.Call.Common().Value.Type())
	}
	locked := !slices.ContainsFunc(s.Bodies, func(fn *ssa.Function) bool { return !isCritical(fn) })
	waits, stops := false, false
	for _, at := range b.instrs {
		switch instr := at.instr.(type) {
		case *ssa.UnOp:
			waits = waits || instr.Op == token.ARROW
		case *ssa.Select:
			for _, state := range instr.States {
				waits = waits || instr.Blocking && state.Dir == types.RecvOnly
			}
		case ssa.CallInstruction:
			common := instr.Common()
			if builtin, ok := common.Value.(*ssa.Builtin); ok {
				stops = stops || builtin.Name() == "close"
				continue
			}
			callee := kubeapi.Callee(common)
			if callee != nil && kubeapi.IsHarmless(callee) {
				continue
			}
			if kubeapi.IsCancel(common.Value.Type()) || callee != nil && kubeapi.IsStop(callee) {
				stops = true
				continue
			}
			if len(a.callees(instr, at.env)) == 0 && !(locked && computes(common)) {
				return false // something else, of unknown length
			}
		}
	}
	for _, fn := range s.Bodies {
		if len(loops.Of(fn)) > 0 && a.endless(fn, 0) {
			return false
		}
	}
	return !waits || stops
}

// isCritical reports whether a function holds a lock for all that it does. What
// is done so is brief, unless it is seen to wait.
func isCritical(fn *ssa.Function) bool {
	if len(fn.Blocks) == 0 {
		return false
	}
	locks := false
	for _, instr := range fn.Blocks[0].Instrs {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		callee := kubeapi.Callee(call.Common())
		if callee == nil {
			return false
		}
		if _, deferred := call.(*ssa.Defer); deferred {
			return locks && kubeapi.IsUnlocking(callee)
		}
		if locks = kubeapi.IsLocking(callee); !locks {
			return false
		}
	}
	return false
}

// computes reports whether a call of a function that cannot be looked into has
// no sign of waiting: it reads a cache, or is of a function that takes no
// context and belongs to no package that talks to others.
func computes(common *ssa.CallCommon) bool {
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	if recv, _ := kubeapi.Args(common); recv != nil {
		if _, ok := kubeapi.CacheReadOf(callee, recv); ok {
			return true
		}
	}
	if _, ok := kubeapi.ClientOp(common); ok || common.IsInvoke() {
		return false
	}
	if kubeapi.TakesContext(callee.Signature()) {
		return false
	}
	switch first, _, _ := strings.Cut(callee.Pkg().Path(), "/"); first {
	case "net", "os", "io", "time", "database", "bufio", "syscall":
		return false
	}
	return true
}

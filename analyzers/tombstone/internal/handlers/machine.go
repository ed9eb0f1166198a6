package handlers

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Bounds of a run. One that reaches them knows nothing.
const (
	maxDepth  = 8
	maxStates = 2000   // of a function
	maxSteps  = 30_000 // blocks, of a handler with all that it calls
)

// machine runs functions of a package abstractly.
type machine struct {
	pass  *analysis.Pass
	graph *calls.Graph

	done    map[string]*outcome
	stack   []*ssa.Function
	steps   int
	causes  map[string]*cause
	lasting map[*ssa.Function]lasting // what functions do at all
	reading map[*ssa.Function]*Reads
}

func newMachine(pass *analysis.Pass, graph *calls.Graph) *machine {
	return &machine{
		pass: pass, graph: graph,
		done: make(map[string]*outcome), causes: make(map[string]*cause), lasting: make(map[*ssa.Function]lasting), reading: make(map[*ssa.Function]*Reads),
	}
}

// activation is a function with what is known of its parameters.
type activation struct {
	fn   *ssa.Function
	args []val
	free []val // of what a closure has captured; nil if that is not known
	// from is where the run begins if not at the start: after an instruction
	// whose result is from's value.
	from  ssa.Instruction
	value val
}

func (a activation) key() string {
	s := fmt.Sprintf("%p:%p:%s", a.fn, a.from, a.value)
	for _, v := range a.args {
		s += "|" + v.String()
	}
	for _, v := range a.free {
		s += "/" + v.String()
	}
	return s
}

// outcome is what a run of a function comes to.
type outcome struct {
	exits []exit
	// worked tells that something lasting is done on some path, and works
	// has the places beyond which that is so for an ordinary object.
	worked bool
	works  map[ssa.Instruction]bool
	sent   []delivery
	// overflow tells that the run has reached its bounds.
	overflow bool
}

// nothingKnown is the outcome of a run that was given up.
var nothingKnown = &outcome{overflow: true, worked: true}

// start runs a function from the outside.
func (m *machine) start(a activation) *outcome {
	m.steps = 0
	return m.run(a)
}

// run runs a function.
func (m *machine) run(a activation) *outcome {
	if len(a.fn.Blocks) == 0 || len(m.stack) > maxDepth || m.steps > maxSteps || slices.Contains(m.stack, a.fn) {
		return nothingKnown
	}
	key := a.key()
	if known, ok := m.done[key]; ok {
		return known
	}
	m.stack = append(m.stack, a.fn)
	r := &runner{machine: m, activation: a, seen: make(map[string]bool), number: make(map[ssa.Value]int)}
	r.out.works = make(map[ssa.Instruction]bool)
	out := r.explore()
	m.stack = m.stack[:len(m.stack)-1]
	m.done[key] = out
	return out
}

// runner runs one activation.
type runner struct {
	*machine
	activation
	out    outcome
	seen   map[string]bool
	number map[ssa.Value]int
	queue  []*state
	exits  map[string]bool
}

func (r *runner) explore() *outcome {
	r.exits = make(map[string]bool)
	first := &state{block: r.fn.Blocks[0], env: make(map[ssa.Value]val)}
	for i, param := range r.fn.Params {
		if i < len(r.args) {
			first.set(param, r.args[i])
		}
	}
	for i, captured := range r.fn.FreeVars {
		if i < len(r.free) {
			first.set(captured, r.free[i])
		}
	}
	if r.from != nil {
		first.block = r.from.Block()
		first.index = slices.Index(first.block.Instrs, r.from) + 1
		if v, ok := r.from.(ssa.Value); ok {
			first.set(v, r.value)
		}
	}
	r.queue = append(r.queue, first)
	for len(r.queue) > 0 && !r.out.overflow {
		st := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if st.index == 0 {
			key := st.key(r.number)
			if r.seen[key] {
				continue
			}
			r.seen[key] = true
		}
		r.machine.steps++
		if len(r.seen) > maxStates || r.machine.steps > maxSteps {
			r.out.overflow = true
			break
		}
		r.block(st)
	}
	if r.out.overflow {
		// What is known to be done beyond a place stays true.
		return &outcome{overflow: true, worked: true, works: r.out.works}
	}
	return &r.out
}

// block runs the rest of a block.
func (r *runner) block(st *state) {
	for ; st.index < len(st.block.Instrs); st.index++ {
		instr := st.block.Instrs[st.index]
		if instr == r.from {
			r.end(st, nil, false) // round again: the next item
			return
		}
		switch instr := instr.(type) {
		case *ssa.Jump:
			r.enter(st, st.block.Succs[0])
			return
		case *ssa.If:
			r.branch(st, instr)
			return
		case *ssa.Return:
			results := make([]val, len(instr.Results))
			for i, v := range instr.Results {
				results[i] = st.of(v)
				// An error that is made on a path where the object is lost
				// is one.
				if call, _ := calls.CallOf(v); results[i].kind == unknown && st.cause != nil && kubeapi.IsError(v.Type()) && call != nil {
					results[i] = val{kind: notNull}
				}
			}
			r.end(st, results, false)
			return
		case *ssa.Panic:
			r.end(st, nil, true)
			return
		default:
			if !r.step(st, instr) {
				return
			}
		}
	}
}

// end records a way in which the function ends.
func (r *runner) end(st *state, results []val, panicked bool) {
	if panicked && recovers(r.machine, r.fn) {
		return
	}
	r.record(exit{path: st.path, results: results, panicked: panicked})
}

func (r *runner) record(e exit) {
	key := fmt.Sprintf("%s%t%p%d", e.path.key(), e.panicked, e.recognisedBy, e.deref)
	for _, v := range e.results {
		key += " " + v.String()
	}
	if r.exits[key] {
		return
	}
	r.exits[key] = true
	if r.out.exits = append(r.out.exits, e); len(r.out.exits) > maxExits {
		r.out.overflow = true
	}
}

// enter goes on in another block.
func (r *runner) enter(st *state, to *ssa.BasicBlock) {
	next := st.clone()
	next.block, next.index = to, 0
	edge := -1
	for i, pred := range to.Preds {
		if pred == st.block {
			edge = i
		}
	}
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		if edge >= 0 {
			next.set(phi, st.of(phi.Edges[edge]))
		}
	}
	r.queue = append(r.queue, next)
}

// branch goes on behind a condition.
func (r *runner) branch(st *state, instr *ssa.If) {
	switch st.of(instr.Cond).kind {
	case yes:
		r.enter(st, st.block.Succs[0])
	case no:
		r.enter(st, st.block.Succs[1])
	default:
		for i, succ := range st.block.Succs {
			next := st.clone()
			next.learn(instr.Cond, i == 0)
			r.enter(next, succ)
		}
	}
}

// learn records what a condition tells, where it is asked again.
func (st *state) learn(cond ssa.Value, holds bool) {
	if asked(cond) > 1 {
		v := truth(holds)
		v.learned = true
		st.set(cond, v)
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			st.learn(c.X, !holds)
		}
	case *ssa.BinOp:
		x, y := c.X, st.of(c.Y)
		if c.Op != token.EQL && c.Op != token.NEQ || asked(x) < 2 || st.of(x).kind != unknown {
			return
		}
		is := holds == (c.Op == token.EQL)
		switch {
		case y.kind == null && is:
			st.set(x, val{kind: null, learned: true})
		case y.kind == null:
			st.set(x, val{kind: notNull, learned: true})
		case y.constant() != nil && is:
			y.learned = true
			st.set(x, y)
		}
	}
}

// asked counts the conditions that a value is part of.
func asked(v ssa.Value) int {
	n := 0
	for ref := range blocks.Uses(v) {
		switch ref.(type) {
		case *ssa.If, *ssa.BinOp, *ssa.Phi:
			n++
		}
	}
	return n
}

// work records that something lasting is done.
func (r *runner) work(st *state) {
	r.out.worked = true
	for _, at := range st.passed {
		r.out.works[at] = true
	}
	st.path.work()
}

// blame makes a cause, once for each place.
func (m *machine) blame(c Cause) *cause {
	key := fmt.Sprintf("%d %p %t %d %s %d", c.Kind, c.Instr, c.Unwrapped, c.Deref, c.Where, len(c.Chain))
	for _, call := range c.Chain {
		key += fmt.Sprintf(" %p", call)
	}
	if known, ok := m.causes[key]; ok {
		return known
	}
	made := &cause{Cause: c}
	m.causes[key] = made
	return made
}

// calledBy makes the cause that a caller sees.
func (m *machine) calledBy(call ssa.CallInstruction, c *cause) *cause {
	if c.Where == "" && c.Instr == ssa.Instruction(call) {
		return c // the call itself
	}
	outer := c.Cause
	outer.Chain = append([]ssa.CallInstruction{call}, c.Chain...)
	made := m.blame(outer)
	made.told = c.told
	return made
}

// recovers reports whether a function defers something that recovers from
// panics.
func recovers(m *machine, fn *ssa.Function) bool {
	return blocks.Any(fn, func(d *ssa.Defer) bool {
		return slices.ContainsFunc(m.graph.Callees(d).Funcs, func(deferred *ssa.Function) bool {
			return blocks.Any(deferred, func(call *ssa.Call) bool { return calls.IsBuiltin(call, "recover") })
		})
	})
}

// takesAnything reports whether any value satisfies t.
func takesAnything(t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	return ok && !kubeapi.IsTypeParam(t) && iface.NumMethods() == 0
}

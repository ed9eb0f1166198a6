package cacheobjects

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// The rest of the pass takes a value for all that it may be. Here one source is
// followed along the paths of a function: a merge is what came in, a variable
// what was stored last, and of a struct that was copied as a whole the fields
// that were overwritten since are the program's own. So a copy that is made on one
// branch and written to only there is told from one that is not made on the
// other.

// goal is an instruction, and what is asked when a path gets there.
type goal struct {
	to    ssa.Instruction
	test  func(lookup) bool
	found bool
}

// trace tells of each goal whether a path leads there from the source, on which
// its test holds.
func (u *unit) trace(src *source, goals []*goal) {
	start := src.start()
	if start == nil {
		home := src.value.Parent()
		t := u.newTracer(src, home, goals)
		t.search(u.graph(home), nil, t.set(nil, src.value, []origin{{src: src, put: src.put}}), 0)
		return
	}
	// The graph that has the source: of the declared function, or of the
	// innermost literal.
	for fn := start.Parent(); fn != nil; fn = fn.Parent() {
		if fn.Parent() != nil && len(u.graph(u.outer).At(start)) > 0 {
			continue
		}
		g := u.graph(fn)
		if call, ok := start.(ssa.CallInstruction); ok {
			t := u.newTracer(src, fn, goals)
			for _, n := range g.At(start) {
				t.search(g, n, t.call(nil, call), 0)
			}
		}
	}
}

func (u *unit) newTracer(src *source, fn *ssa.Function, goals []*goal) *tracer {
	t := &tracer{unit: u, src: src, goals: make(map[ssa.Instruction][]*goal), ids: make(map[ssa.Value]int), known: make(map[string]int)}
	for _, g := range goals {
		if !g.found && blocks.Within(g.to.Parent(), fn) {
			t.goals[g.to] = append(t.goals[g.to], g)
			t.open++
		}
	}
	return t
}

func (u *unit) graph(fn *ssa.Function) *paths.Graph { return u.sums.Unit(fn).Graph }

// tracer follows one source.
type tracer struct {
	*unit
	src   *source
	goals map[ssa.Instruction][]*goal
	open  int // goals that are not reached yet

	ids   map[ssa.Value]int
	known map[string]int
	envs  []env
}

// maxNested bounds the literals that do not run where they stand, inside each
// other.
const maxNested = 3

// search follows the paths of a graph until all goals are reached.
func (t *tracer) search(g *paths.Graph, start *paths.Node, initial env, depth int) {
	if t.open == 0 {
		return
	}
	leads := g.LeadingTo(t.hasGoal)
	g.Search(start, t.intern(initial), nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		e := t.envs[stage]
		if len(e) == 0 || !leads[n.Index()] {
			return stage, paths.Prune
		}
		if goals := t.goals[n.Instr]; len(goals) > 0 && t.runs(n) {
			for _, goal := range goals {
				if !goal.found && goal.test(t.lookup(e)) {
					goal.found = true
					t.open--
				}
			}
		}
		if closure, ok := n.Instr.(*ssa.MakeClosure); ok && depth < maxNested {
			t.nested(g, closure.Fn.(*ssa.Function), e, depth)
		}
		if t.open == 0 {
			return stage, paths.Found
		}
		next := t.after(e, n, known)
		if len(next) == len(e) && &next[0] == &e[0] {
			return stage, paths.Continue
		}
		return t.intern(next), paths.Continue
	})
}

// hasGoal reports whether there is a goal at a node, or in the literal that is
// made there.
func (t *tracer) hasGoal(n *paths.Node) bool {
	if len(t.goals[n.Instr]) > 0 {
		return true
	}
	closure, ok := n.Instr.(*ssa.MakeClosure)
	if !ok {
		return false
	}
	for to := range t.goals {
		if blocks.Within(to.Parent(), closure.Fn.(*ssa.Function)) {
			return true
		}
	}
	return false
}

// nested looks for the goals in a literal that does not run where it is made,
// with what is known where it is made.
func (t *tracer) nested(g *paths.Graph, fn *ssa.Function, e env, depth int) {
	if fn.Synthetic != "" {
		return
	}
	wanted := false
	for to := range t.goals {
		if blocks.Within(to.Parent(), fn) && len(g.At(to)) == 0 {
			wanted = true
			break
		}
	}
	if !wanted {
		return
	}
	captured := slices.DeleteFunc(slices.Clone(e), func(b binding) bool {
		_, variable := b.v.(*ssa.Alloc)
		return !variable
	})
	if len(captured) > 0 {
		t.search(t.graph(fn), nil, captured, depth+1)
	}
}

// runs reports whether a node is the instruction's own time: a deferred call
// runs later than it stands.
func (t *tracer) runs(n *paths.Node) bool {
	_, deferred := n.Instr.(*ssa.Defer)
	return !deferred || n.Deferred
}

// after is what is known after a node.
func (t *tracer) after(e env, n *paths.Node, known paths.Known) env {
	if n.Joins != nil {
		// What belongs to the literals that have run is gone.
		return t.drop(e, func(v ssa.Value) bool {
			for frame := n.Frame; frame != nil; frame = frame.Parent {
				if v.Parent() == frame.Fn {
					return false
				}
			}
			return v.Parent() != nil && !isCaptured(v)
		})
	}
	instr := n.Instr
	if block := instr.Block(); block != nil && block.Instrs[0] == instr {
		e = t.drop(e, func(v ssa.Value) bool { return v.Parent() == block.Parent() && !t.live(v, block) })
	}
	get := t.lookup(e)
	// A switch of its own: this runs the instructions of a path, and follows nothing.
	switch instr := instr.(type) {
	case *ssa.Phi:
		in := known.Incoming(instr)
		return t.set(t.goOn(e, instr, in), instr, get(in))
	case *ssa.Store:
		at, p := base(instr.Addr)
		e = t.overwrite(e, at, p, t.isCopied(instr.Val))
		return t.reached(e, at, inRound(instr.Addr, into(p, instr.Val, get(instr.Val))))
	case *ssa.MapUpdate:
		if t.isCopied(instr.Value) {
			e = t.overwrite(e, instr.Map, element, true)
		}
		return t.reached(e, instr.Map, atKey(instr.Key, into(element, instr.Value, get(instr.Value))))
	case *ssa.Range:
		return t.restart(e, instr)
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		return t.set(e, instr.(ssa.Value), nil)
	case *ssa.UnOp:
		if instr.Op == token.MUL {
			return t.set(e, instr, eval(instr, get))
		}
	case *ssa.Return:
		return t.returns(e, n, instr)
	case *ssa.Defer:
		if n.Deferred {
			return t.call(e, instr)
		}
	case ssa.CallInstruction:
		return t.call(e, instr)
	}
	return e
}

// call takes the effect of a call.
func (t *tracer) call(e env, call ssa.CallInstruction) env {
	get := t.lookup(e)
	common := call.Common()
	results := t.results(call, get)
	if common.IsInvoke() || common.StaticCallee() != nil {
		ops := kubeapi.Operands(common)
		if kubeapi.IsDeepCopy(kubeapi.Callee(common)) && len(ops) == 2 {
			e = t.overwritten(e, ops[1])
		}
		if op, ok := kubeapi.ClientOp(common); ok && op.Verb.Reads() && op.Object != nil {
			e = t.overwritten(e, kubeapi.Unconverted(op.Object))
		}
	}
	t.eachSet(call, func(at ssa.Value, p path, byCopy bool) { e = t.overwrite(e, at, p, byCopy) })
	next := e
	t.leaves(call, get, func(v ssa.Value, list []origin) { next = t.reached(next, v, list) })
	t.binds(call, get, func(param *ssa.Parameter, list []origin) { next = t.set(next, param, list) })
	if v, ok := call.(*ssa.Call); ok {
		for i := range max(1, v.Call.Signature().Results().Len()) {
			if r := calls.ResultOf(v, i); r != nil {
				next = t.set(next, r, results[i])
			}
		}
	}
	return next
}

// returns takes the results of a literal to the call that it stands at.
func (t *tracer) returns(e env, n *paths.Node, ret *ssa.Return) env {
	call, ok := n.Frame.Call.(*ssa.Call)
	if !ok || paths.Literal(t.Calls, call.Call.Value) != n.Frame.Fn {
		return e
	}
	get := t.lookup(e)
	for i, v := range ret.Results {
		if r := calls.ResultOf(call, i); r != nil {
			e = t.set(e, r, get(v))
		}
	}
	return e
}

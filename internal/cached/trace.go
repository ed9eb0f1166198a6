package cached

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
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
		t.search(u.graph(home), nil, t.set(nil, src.value, []origin{{src: src}}), 0)
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
				t.search(g, n, t.call(nil, n, call), 0)
			}
		}
	}
}

func (u *unit) newTracer(src *source, fn *ssa.Function, goals []*goal) *tracer {
	t := &tracer{unit: u, src: src, goals: make(map[ssa.Instruction][]*goal), ids: make(map[ssa.Value]int), known: make(map[string]int)}
	for _, g := range goals {
		if !g.found && contains(fn, g.to) {
			t.goals[g.to] = append(t.goals[g.to], g)
			t.open++
		}
	}
	return t
}

func (u *unit) graph(fn *ssa.Function) *flow.Graph { return u.sums.Unit(fn).Graph }

// contains reports whether an instruction stands in fn or a literal in it.
func contains(fn *ssa.Function, instr ssa.Instruction) bool {
	for in := instr.Parent(); in != nil; in = in.Parent() {
		if in == fn {
			return true
		}
	}
	return false
}

// env is what is known at a point of a path: which values and variables lead to
// what came from the source. It is sorted and never changed.
type env []binding

type binding struct {
	id   int
	v    ssa.Value
	list []origin
}

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
func (t *tracer) search(g *flow.Graph, start *flow.Node, initial env, depth int) {
	if t.open == 0 {
		return
	}
	g.Search(start, t.intern(initial), nil, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		e := t.envs[stage]
		if len(e) == 0 {
			return stage, flow.Prune
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
			return stage, flow.Found
		}
		next := t.after(e, n, known)
		if len(next) == len(e) && &next[0] == &e[0] {
			return stage, flow.Continue
		}
		return t.intern(next), flow.Continue
	})
}

// nested looks for the goals in a literal that does not run where it stands,
// with what is known where it is made.
func (t *tracer) nested(g *flow.Graph, fn *ssa.Function, e env, depth int) {
	if fn.Synthetic != "" {
		return
	}
	wanted := false
	for to := range t.goals {
		if contains(fn, to) && len(g.At(to)) == 0 {
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
func (t *tracer) runs(n *flow.Node) bool {
	_, deferred := n.Instr.(*ssa.Defer)
	return !deferred || n.Deferred
}

// after is what is known after a node.
func (t *tracer) after(e env, n *flow.Node, known flow.Known) env {
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
	switch instr := instr.(type) {
	case *ssa.Phi:
		if in := known.Incoming(instr); in != nil {
			return t.set(e, instr, get(in))
		}
		return t.set(e, instr, nil)
	case *ssa.Store:
		at, p := base(instr.Addr)
		e = t.overwrite(e, at, p, isCopy(instr.Val))
		return t.reached(e, at, into(p, instr.Val, get(instr.Val)))
	case *ssa.MapUpdate:
		if isCopy(instr.Value) {
			e = t.overwrite(e, instr.Map, element, true)
		}
		return t.reached(e, instr.Map, into(element, instr.Value, get(instr.Value)))
	case *ssa.Alloc:
		return t.set(e, instr, nil)
	case *ssa.MakeMap:
		return t.set(e, instr, nil)
	case *ssa.MakeSlice:
		return t.set(e, instr, nil)
	case *ssa.UnOp:
		if instr.Op == token.MUL {
			return t.set(e, instr, eval(instr, get))
		}
	case *ssa.Return:
		return t.returns(e, n, instr)
	case *ssa.Defer:
		if n.Deferred {
			return t.call(e, n, instr)
		}
	case ssa.CallInstruction:
		return t.call(e, n, instr)
	}
	return e
}

// call takes the effect of a call.
func (t *tracer) call(e env, n *flow.Node, call ssa.CallInstruction) env {
	get := t.lookup(e)
	common := call.Common()
	results := t.results(call, get)
	if common.IsInvoke() || common.StaticCallee() != nil {
		ops := kubeapi.Operands(common)
		if fn := kubeapi.Callee(common); fn != nil && kubeapi.IsDeepCopy(fn) && len(ops) == 2 {
			e = t.overwritten(e, ops[1])
		}
		if op, ok := kubeapi.ClientOp(common); ok && op.Verb.Reads() && op.Object != nil {
			e = t.overwritten(e, strip(op.Object))
		}
	}
	next := e
	t.leaves(call, get, func(v ssa.Value, list []origin) { next = t.reached(next, v, list) })
	t.binds(call, get, func(param *ssa.Parameter, list []origin) { next = t.set(next, param, list) })
	if v, ok := call.(*ssa.Call); ok {
		for i := range max(1, v.Call.Signature().Results().Len()) {
			for _, r := range resultValues(v, i) {
				next = t.set(next, r, results[i])
			}
		}
	}
	return next
}

// returns takes the results of a literal to the call that it stands at.
func (t *tracer) returns(e env, n *flow.Node, ret *ssa.Return) env {
	call, ok := n.Frame.Call.(*ssa.Call)
	if !ok || flow.Literal(t.Calls, call.Call.Value) != n.Frame.Fn {
		return e
	}
	get := t.lookup(e)
	for i, v := range ret.Results {
		for _, r := range resultValues(call, i) {
			e = t.set(e, r, get(v))
		}
	}
	return e
}

// lookup evaluates values at a point of a path.
func (t *tracer) lookup(e env) lookup {
	var get func(v ssa.Value, depth int) []origin
	get = func(v ssa.Value, depth int) []origin {
		if depth > 30 {
			return nil
		}
		switch x := v.(type) {
		case *ssa.FreeVar:
			if binding := t.Calls.Binding(x); binding != nil {
				return get(binding, depth+1)
			}
			return nil
		case *ssa.Phi, *ssa.Call, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Parameter:
			return t.bound(e, v)
		case *ssa.UnOp:
			if x.Op == token.MUL {
				return t.bound(e, v)
			}
		case *ssa.Extract:
			if _, call := x.Tuple.(*ssa.Call); call {
				return t.bound(e, v)
			}
		case nil:
			return nil
		}
		return eval(v, func(x ssa.Value) []origin { return get(x, depth+1) })
	}
	return func(v ssa.Value) []origin { return get(v, 0) }
}

func (t *tracer) id(v ssa.Value) int {
	id, ok := t.ids[v]
	if !ok {
		id = len(t.ids)
		t.ids[v] = id
	}
	return id
}

func (t *tracer) bound(e env, v ssa.Value) []origin {
	id, ok := t.ids[v]
	if !ok {
		return nil
	}
	i, ok := slices.BinarySearchFunc(e, id, func(b binding, id int) int { return b.id - id })
	if !ok {
		return nil
	}
	return e[i].list
}

// set makes a value lead to what the list has of the source.
func (t *tracer) set(e env, v ssa.Value, list []origin) env {
	var own []origin
	for _, o := range list {
		if o.src == t.src {
			o.take = ""
			own, _ = merge(own, o)
		}
	}
	id := t.id(v)
	i, ok := slices.BinarySearchFunc(e, id, func(b binding, id int) int { return b.id - id })
	switch {
	case !ok && len(own) == 0:
		return e
	case !ok:
		return slices.Insert(slices.Clone(e), i, binding{id, v, own})
	case len(own) == 0:
		return slices.Delete(slices.Clone(e), i, i+1)
	}
	if equalOrigins(e[i].list, own) {
		return e
	}
	e = slices.Clone(e)
	e[i].list = own
	return e
}

func (t *tracer) drop(e env, gone func(ssa.Value) bool) env {
	if !slices.ContainsFunc(e, func(b binding) bool { return gone(b.v) }) {
		return e
	}
	return slices.DeleteFunc(slices.Clone(e), func(b binding) bool { return gone(b.v) })
}

// reached is the reach of a value at a point of a path.
func (t *tracer) reached(e env, v ssa.Value, list []origin) env {
	t.reach(v, list, func(v ssa.Value, o origin) {
		if o.src == t.src {
			e = t.set(e, v, append(slices.Clone(t.bound(e, v)), o))
		}
	})
	return e
}

// root is the variable, or other value, whose memory an address lies in.
func (t *tracer) root(at ssa.Value) ssa.Value {
	for range 8 {
		free, ok := at.(*ssa.FreeVar)
		if !ok {
			return at
		}
		at = t.Calls.Binding(free)
	}
	return nil
}

func (t *tracer) overwritten(e env, v ssa.Value) env {
	at, p := base(v)
	return t.overwrite(e, at, p, false)
}

// overwrite forgets what the memory of a value at the path leads to. Of elements
// one cannot tell which is meant, nor whether a loop goes over all: they are
// forgotten if they are replaced by copies.
func (t *tracer) overwrite(e env, at ssa.Value, p path, byCopy bool) env {
	if !byCopy && slices.Contains(strings.Split(string(p), "."), element) {
		return e
	}
	for range 6 {
		root := t.root(at)
		if root == nil {
			return e
		}
		var left []origin
		for _, o := range t.bound(e, root) {
			if o, ok := o.without(p); ok {
				left = append(left, o)
			}
		}
		e = t.set(e, root, left)
		// The same memory, by the variable that the reference was read from.
		load, ok := root.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return e
		}
		var before path
		at, before = base(load.X)
		p = before.join(follow).join(p)
	}
	return e
}

// without is what is left of an origin after memory at the path was overwritten.
func (a origin) without(p path) (origin, bool) {
	if a.put == "" {
		return a, true
	}
	put, at := a.put, p
	for at != "" {
		first, rest := put.cut()
		want, after := at.cut()
		switch first {
		case want:
			put, at = rest, after
		case follow:
			a.except = addExcept(a.except, p)
			return a, true
		default:
			return a, true
		}
		if put == "" {
			return a, true
		}
	}
	return a, false
}

// addExcept adds a path to those that were overwritten.
func addExcept(except string, p path) string {
	paths := strings.Split(except, ";")
	if except == "" {
		paths = nil
	}
	if slices.Contains(paths, string(p)) {
		return except
	}
	paths = append(paths, string(p))
	slices.Sort(paths)
	return strings.Join(paths, ";")
}

// exceptField is what is left of the overwritten paths behind a field; ok is
// false if the field itself is among them.
func exceptField(except, name string) (string, bool) {
	var left []string
	for _, p := range strings.Split(except, ";") {
		first, rest := path(p).cut()
		if first != name {
			continue
		}
		if rest == "" {
			return "", false
		}
		left = append(left, string(rest))
	}
	return strings.Join(left, ";"), true
}

// intern numbers an environment.
func (t *tracer) intern(e env) int {
	var b []byte
	for _, binding := range e {
		b = strconv.AppendInt(b, int64(binding.id), 10)
		for _, o := range binding.list {
			b = append(b, ':')
			b = append(b, o.put...)
			b = append(b, ',')
			b = append(b, o.dyn...)
			b = append(b, ',')
			b = append(b, o.except...)
			if o.short {
				b = append(b, '!')
			}
		}
		b = append(b, '|')
	}
	key := string(b)
	n, ok := t.known[key]
	if !ok {
		n = len(t.envs)
		t.known[key] = n
		t.envs = append(t.envs, e)
	}
	return n
}

// live reports whether a value may still be used in a block or after it, so
// that what is known of it must be kept.
func (u *unit) live(v ssa.Value, block *ssa.BasicBlock) bool {
	blocks, ok := u.lives[v]
	if !ok {
		blocks = liveBlocks(v)
		u.lives[v] = blocks
	}
	return blocks == nil || blocks[block]
}

// liveBlocks are the blocks at whose beginning a value is needed, by itself or
// by what is computed from it; nil for all.
func liveBlocks(v ssa.Value) map[*ssa.BasicBlock]bool {
	if isCaptured(v) {
		return nil
	}
	var made *ssa.BasicBlock // nil for a parameter, which is there from the start
	if instr, ok := v.(ssa.Instruction); ok {
		made = instr.Block()
	} else if _, ok := v.(*ssa.Parameter); !ok {
		return nil
	}
	blocks := make(map[*ssa.BasicBlock]bool)
	var mark func(block *ssa.BasicBlock)
	mark = func(block *ssa.BasicBlock) {
		if block == made && !blocks[block] {
			// Needed at the beginning only in the next round of a loop, when
			// it is made anew.
			return
		}
		if blocks[block] {
			return
		}
		blocks[block] = true
		for _, pred := range block.Preds {
			if pred != made {
				mark(pred)
			}
		}
	}
	seen := make(map[ssa.Value]bool)
	var use func(v ssa.Value)
	use = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, ref := range *v.Referrers() {
			if phi, ok := ref.(*ssa.Phi); ok && phi.Block() == made {
				blocks[phi.Block()] = true
				for _, pred := range phi.Block().Preds {
					if pred != made {
						mark(pred)
					}
				}
				continue
			}
			mark(ref.Block())
			if derived, ok := ref.(ssa.Value); ok && isDerived(derived) {
				use(derived)
			}
		}
	}
	use(v)
	return blocks
}

// isDerived reports whether a value is computed from its operands when it is
// looked up.
func isDerived(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Slice, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.TypeAssert, *ssa.Convert, *ssa.Lookup, *ssa.Range, *ssa.Next, *ssa.SliceToArrayPointer:
		return true
	case *ssa.Extract:
		_, call := v.Tuple.(*ssa.Call)
		return !call
	}
	return false
}

// isCaptured reports whether function literals have a variable.
func isCaptured(v ssa.Value) bool {
	alloc, ok := v.(*ssa.Alloc)
	if !ok || alloc.Referrers() == nil {
		return false
	}
	for _, ref := range *alloc.Referrers() {
		if _, ok := ref.(*ssa.MakeClosure); ok {
			return true
		}
	}
	return false
}

package paths

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Truth is what is known of a value on a path: a boolean's value, or whether
// a reference (an error, above all) is nil.
type Truth int8

// What can be known of a value.
const (
	Unknown Truth = iota
	True          // true, or not nil
	False         // false, or nil
)

// TruthOf is what is known of a boolean that has the value b.
func TruthOf(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Not is what is known of the contrary.
func (t Truth) Not() Truth {
	switch t {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}

// later marks a truth that a value gets when the path computes it.
const later Truth = 1 << 2

// WhenComputed makes of what is known of a value what will be known as soon as,
// and whenever, the path computes it; see [Graph.Search].
func (t Truth) WhenComputed() Truth { return t | later }

// Step says how a search goes on after a node.
type Step int8

// How a search can go on.
const (
	Continue Step = iota // to the nodes that follow
	Prune                // do not follow the path any further
	Found                // the path is what was searched
)

// Visit is called for each node on a path with the stage that the path is
// in, and returns the stage after it. Stages are the rule's own: bits or a
// counter; a node is visited once per stage and set of known values.
type Visit func(n *Node, stage int, known Known) (next int, step Step)

// Known gives what is known at a node of a path.
type Known struct {
	search *searcher
	facts  facts
	pred   *ssa.BasicBlock
}

// Of returns what is known of a value.
func (k Known) Of(v ssa.Value) Truth { return k.search.eval(k.facts, v, 0) }

// Incoming returns the value that a phi takes on the path, at the phi's own
// node, or nil.
func (k Known) Incoming(phi *ssa.Phi) ssa.Value {
	if edge := slices.Index(phi.Block().Preds, k.pred); edge >= 0 {
		return phi.Edges[edge]
	}
	return nil
}

// Path is the result of a search: the nodes of the path that was found.
type Path []*Node

// A search that reaches its bound finds nothing: silent unless sure. States in
// which much is known count more. In a large function there are many searches,
// and so that all of them end in time, each visits fewer states.
const (
	maxStates    = 60_000
	fewestStates = 100
	largeGraph   = 5_000 // nodes
	manyFacts    = 32
)

// bound returns how many states a search of the graph may visit.
func (g *Graph) bound() int {
	if len(g.Nodes) <= largeGraph {
		return maxStates
	}
	share := float64(largeGraph) / float64(len(g.Nodes))
	return max(fewestStates, int(maxStates*share*share))
}

// Search follows the paths that begin after start (or at the graph's entry, if
// start is nil) until visit finds one. Paths that contradict what they have
// established before are left out: a condition has one value on a path until
// it is computed again, so `if changed` twice goes the same way. assume has
// what is known at the beginning, and of values that are [Truth.WhenComputed]
// what is known then.
func (g *Graph) Search(start *Node, stage int, assume map[ssa.Value]Truth, visit Visit) (Path, bool) {
	path, found, _ := g.search(start, stage, assume, visit)
	return path, found
}

// track finds what is worth knowing on paths.
func (g *Graph) track() {
	g.tracking.Do(func() {
		g.tracked, g.questions = trackedValues(g)
		g.live = newLiveness(g.tracked, g.questions)
		g.made = findMade(g)
	})
}

// search is Search; whole tells that it was not given up.
func (g *Graph) search(start *Node, stage int, assume map[ssa.Value]Truth, visit Visit) (path Path, found, whole bool) {
	if len(g.Nodes) > maxNodes {
		return nil, false, false // parts are missing
	}
	g.track()
	s := &searcher{graph: g, visit: visit, seen: newVisited(len(g.Nodes))}
	defer s.seen.release()
	if len(assume) > 0 {
		s.extra, s.computed = make(map[ssa.Value]int, len(assume)), make(map[ssa.Value]Truth)
	}
	first := &state{stage: stage}
	for v, t := range assume {
		index, ok := g.tracked[v]
		if !ok {
			index = len(g.tracked) + g.questions.size + len(s.extra)
			s.extra[v] = index
		}
		s.watched = append(s.watched, index)
		if t&later != 0 {
			s.computed[v] = t &^ later
			continue
		}
		first.facts = first.facts.with(index, t)
	}
	if start == nil {
		first.node = g.Entry
		return s.run([]*state{first})
	}
	first.node = start
	s.establish(first)
	return s.run(s.successors(first, nil))
}

// establish records what is known because the search begins where it does:
// the conditions of the branches that lead there on every path, and what has had
// a field just before. What the rule assumes comes first.
func (s *searcher) establish(st *state) {
	at := st.node.Instr
	if st.node.Deferred {
		return // runs later than it stands
	}
	for _, before := range at.Block().Instrs {
		if before == at {
			break
		}
		if _, ran := before.(*ssa.RunDefers); ran {
			return // deferred literals may have changed all that was known
		}
		if field, ok := before.(*ssa.FieldAddr); ok && s.eval(st.facts, field.X, 0) == Unknown {
			s.learn(st, field.X, True)
		}
	}
	for frame := st.node.Frame; frame != nil; frame = frame.Parent {
		for branch, held := range blocks.Decided(at.Block()) {
			if s.eval(st.facts, branch.Cond, 0) == Unknown {
				s.assume(st, branch.Cond, TruthOf(held), blocks.Side(branch, held))
			}
		}
		if _, ok := frame.Call.(*ssa.Call); !ok {
			return
		}
		at = frame.Call
	}
}

// Reaches reports whether a path leads from one node to another.
func (g *Graph) Reaches(from, to *Node) bool {
	_, found := g.Search(from, 0, nil, func(n *Node, stage int, _ Known) (int, Step) {
		if n == to {
			return stage, Found
		}
		return stage, Continue
	})
	return found
}

type state struct {
	node  *Node
	stage int
	facts facts
	pred  *ssa.BasicBlock // where the block was entered from, at its phis
	prev  *state
}

type searcher struct {
	graph   *Graph
	visit   Visit
	seen    *visited
	extra   map[ssa.Value]int // values assumed at the start and not tracked
	watched []int             // the indexes of all that was assumed at the start
	// computed has what values are known to be whenever they are computed.
	computed map[ssa.Value]Truth
	// spare are states that are made in blocks: there are thousands.
	spare  []state
	blocks int // how many the last block had
}

const maxSpare = 128

// newState returns a state of no value.
func (s *searcher) newState() *state {
	if len(s.spare) == 0 {
		s.blocks = min(max(8, 2*s.blocks), maxSpare)
		s.spare = make([]state, s.blocks)
	}
	st := &s.spare[0]
	s.spare = s.spare[1:]
	return st
}

// key identifies a state.
type key struct {
	node, stage, pred int
	facts             facts
}

func (st *state) key() key {
	k := key{node: st.node.index, stage: st.stage, pred: -1, facts: st.facts}
	if st.pred != nil {
		k.pred = st.pred.Index
	}
	return k
}

func (s *searcher) run(queue []*state) (path Path, found, whole bool) {
	left := s.graph.bound()
	for len(queue) > 0 {
		st := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		key := st.key()
		if s.seen.has(key) {
			continue
		}
		if left -= 1 + len(st.facts)/factSize/manyFacts; left < 0 {
			return nil, false, false
		}
		s.seen.add(key)
		s.execute(st)
		next, step := s.visit(st.node, st.stage, Known{s, st.facts, st.pred})
		switch step {
		case Found:
			for at := st; at != nil; at = at.prev {
				path = append(path, at.node)
			}
			slices.Reverse(path)
			return path, true, true
		case Prune:
			continue
		}
		st.stage = next
		queue = s.successors(st, queue)
	}
	return nil, false, true
}

// indexOf returns where a value's truth is kept; ok is false if it is not.
func (s *searcher) indexOf(v ssa.Value) (index int, ok bool) {
	index, ok = s.graph.tracked[v]
	if !ok {
		index, ok = s.extra[v]
	}
	return index, ok
}

// execute updates what is known by running the node's instruction.
func (s *searcher) execute(st *state) {
	if st.node.Joins == nil {
		s.reconsider(st, st.node.Instr)
	}
	if call, ok := st.node.Joins.(*ssa.Call); ok {
		if inner := s.graph.calls.Returned(call); inner != nil {
			if t := s.eval(st.facts, inner, 0); t != Unknown {
				s.learn(st, call, t)
			}
		}
		return
	}
	switch instr := st.node.Instr.(type) {
	case *ssa.Store:
		if cell := Cell(instr.Addr); cell != nil {
			if _, tracked := s.graph.tracked[cell]; tracked {
				s.learn(st, cell, s.eval(st.facts, instr.Val, 0))
			}
		}
	case *ssa.UnOp:
		if _, tracked := s.indexOf(instr); !tracked {
			return
		}
		t := s.computed[instr]
		if instr.Op == token.MUL && t == Unknown {
			if cell := Cell(instr.X); cell != nil {
				t = s.eval(st.facts, cell, maxDepth+1)
			}
		}
		s.learn(st, instr, t)
	case *ssa.Phi: // told by the edge
	case *ssa.Extract:
		t := s.computed[instr]
		if inner := s.graph.calls.Returned(instr); inner != nil && t == Unknown {
			t = s.eval(st.facts, inner, 0)
		}
		if t != Unknown || !s.graph.returns(instr) {
			s.learn(st, instr, t)
		}
	case *ssa.FieldAddr:
		s.learn(st, instr.X, True) // there is no field of nil: the program has panicked
		s.learn(st, instr, s.computed[instr])
	case ssa.Value:
		s.learn(st, instr, s.computed[instr]) // computed anew
	}
}

// returns reports whether a value is a result of a literal that the graph has, so
// that its returns have told what is known of it.
func (g *Graph) returns(v *ssa.Extract) bool {
	call, ok := v.Tuple.(*ssa.Call)
	return ok && g.joined[call]
}

// Cell returns the variable that an address denotes, also where a function
// literal has captured it, or nil.
func Cell(addr ssa.Value) ssa.Value {
	for range maxDepth {
		switch x := addr.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FreeVar:
			addr = binding(x)
		default:
			return nil
		}
	}
	return nil
}

func binding(v *ssa.FreeVar) ssa.Value {
	fn := v.Parent()
	for closure := range blocks.UsesOf[*ssa.MakeClosure](fn) {
		return closure.Bindings[slices.Index(fn.FreeVars, v)]
	}
	return nil
}

// learn records the truth of a value, if it is one that is kept.
func (s *searcher) learn(st *state, v ssa.Value, t Truth) {
	index, ok := s.indexOf(v)
	if ok && st.facts.of(index) != t {
		st.facts = st.facts.with(index, t)
	}
}

// successors adds the states after st's node to those that are to be visited.
func (s *searcher) successors(st *state, next []*state) []*state {
	branch, isIf := st.node.Instr.(*ssa.If)
	for i, succ := range st.node.Succs {
		follow := s.newState()
		*follow = state{node: succ, stage: st.stage, facts: st.facts, prev: st}
		if isIf {
			want := TruthOf(i == 0)
			if have := s.eval(st.facts, branch.Cond, 0); have != Unknown && have != want {
				continue
			}
			s.assume(follow, branch.Cond, want, nil)
		}
		if succ.Joins != nil && succ.Joins == st.node.Frame.Call {
			st.node.eachReturned(func(result, returned ssa.Value) { s.learn(follow, result, s.returned(st, result, returned)) })
		}
		_, phi := succ.Instr.(*ssa.Phi)
		if block := st.node.entering[i]; block != nil {
			known := follow.facts
			s.forget(follow, block)
			s.enter(follow, known, st.node.Instr.Block(), block)
			if phi {
				follow.pred = st.node.Instr.Block()
			}
		} else if phi {
			follow.pred = st.pred
		}
		next = append(next, follow)
	}
	return next
}

// returned is what is known of a call's result when the literal that is called
// returns.
func (s *searcher) returned(st *state, result, returned ssa.Value) Truth {
	if t := s.computed[result]; t != Unknown {
		return t
	}
	return s.eval(st.facts, returned, 0)
}

// enter evaluates the phis of a block that is entered from pred, where that
// was known before.
func (s *searcher) enter(st *state, before facts, pred, block *ssa.BasicBlock) {
	edge := slices.Index(block.Preds, pred)
	if edge < 0 {
		return
	}
	for _, instr := range block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return
		}
		if _, tracked := s.graph.tracked[phi]; tracked {
			s.learn(st, phi, s.eval(before, phi.Edges[edge], 0))
		}
	}
}

// assume records that cond has the truth want, now or, if since is not nil,
// since that block was entered.
func (s *searcher) assume(st *state, cond ssa.Value, want Truth, since *ssa.BasicBlock) {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			s.assume(st, c.X, want.Not(), since)
			return
		}
		if cell := s.unchanged(c); cell != nil && (since == nil || keeps(cell, since)) {
			s.learn(st, cell, want) // what was read is there still
		}
	case *ssa.BinOp:
		if x, equal, ok := comparison(c); ok {
			// x == nil and x == false hold when x is False.
			t := want
			if equal == False {
				t = want.Not()
			}
			s.assume(st, x, t, since)
			return
		}
	}
	if inner := s.graph.calls.Returned(cond); inner != nil {
		s.assume(st, inner, want, nil)
	}
	s.learn(st, cond, want)
	s.answer(st, cond, want, since)
}

// unchanged returns the variable that was read just now, so that what is found
// out about the value holds for the variable: nothing is stored or called
// between the read and the end of its block.
func (s *searcher) unchanged(read *ssa.UnOp) ssa.Value {
	cell := Cell(read.X)
	if cell == nil || read.Op != token.MUL {
		return nil
	}
	instrs := read.Block().Instrs
	for _, instr := range slices.Backward(instrs) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr == read {
				return cell
			}
		case *ssa.Store, *ssa.Call:
			return nil
		}
	}
	return nil
}

// keeps reports whether nothing is stored into a variable in a block or those
// that it dominates, but what is there anyway.
func keeps(cell ssa.Value, block *ssa.BasicBlock) bool {
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if again, ok := ref.Val.(*ssa.UnOp); ok && again.X == cell {
				continue
			}
			if block.Dominates(ref.Block()) {
				return false
			}
		case *ssa.MakeClosure:
			if block.Parent() == ref.Parent() && isOnlyDeferred(ref) {
				continue // runs after all of this function, and is on the paths then
			}
			if literal := ref.Fn.(*ssa.Function); storesInto(literal.FreeVars[slices.Index(ref.Bindings, cell)]) {
				return false
			}
		}
	}
	return true
}

// isOnlyDeferred reports whether a function literal does nothing but run when the function
// around it returns.
func isOnlyDeferred(literal *ssa.MakeClosure) bool {
	deferred := false
	for use := range blocks.Uses(literal) {
		if _, ok := use.(*ssa.Defer); !ok {
			return false
		}
		deferred = true
	}
	return deferred
}

// storesInto reports whether a function literal may store into a variable that
// it has captured.
func storesInto(captured *ssa.FreeVar) bool {
	for _, ref := range *captured.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			return true
		case *ssa.MakeClosure:
			if inner := ref.Fn.(*ssa.Function); storesInto(inner.FreeVars[slices.Index(ref.Bindings, ssa.Value(captured))]) {
				return true
			}
		}
	}
	return false
}

// comparison recognises a comparison of x with nil, true or false. equal is
// the truth of the comparison when x is True (not nil).
func comparison(b *ssa.BinOp) (x ssa.Value, equal Truth, ok bool) {
	if b.Op != token.EQL && b.Op != token.NEQ {
		return nil, Unknown, false
	}
	x, y := b.X, b.Y
	c, isConst := y.(*ssa.Const)
	if !isConst {
		x = b.Y
		if c, isConst = b.X.(*ssa.Const); !isConst {
			return nil, Unknown, false
		}
	}
	t, known := constTruth(c)
	if !known {
		return nil, Unknown, false
	}
	equal = t // x == true is x; x == nil is not x
	if b.Op == token.NEQ {
		equal = equal.Not()
	}
	return x, equal, true
}

func constTruth(c *ssa.Const) (Truth, bool) {
	if c.Value == nil {
		switch c.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Chan, *types.Signature:
			return False, true
		}
		return Unknown, false
	}
	if c.Value.Kind() == constant.Bool {
		return TruthOf(constant.BoolVal(c.Value)), true
	}
	return Unknown, false
}

// eval computes what is known of a value.
func (s *searcher) eval(f facts, v ssa.Value, depth int) Truth {
	if index, ok := s.indexOf(v); ok {
		if t := f.of(index); t != Unknown {
			return t
		}
	}
	if t := s.answered(f, v); t != Unknown {
		return t
	}
	if depth > maxDepth {
		return Unknown
	}
	if inner := s.graph.calls.Returned(v); inner != nil {
		return s.eval(f, inner, depth+1)
	}
	switch v := v.(type) {
	case *ssa.Const:
		t, _ := constTruth(v)
		return t
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return s.eval(f, v.X, depth+1).Not()
		}
	case *ssa.BinOp:
		if x, equal, ok := comparison(v); ok {
			switch s.eval(f, x, depth+1) {
			case True:
				return equal
			case False:
				return equal.Not()
			}
		}
	case *ssa.ChangeInterface:
		return s.eval(f, v.X, depth+1)
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure, *ssa.FieldAddr, *ssa.Function:
		return True
	case *ssa.Call:
		if err := s.graph.questions.errors[v]; err != nil && s.eval(f, err, depth+1) == False {
			return False // nil is no error of any kind
		}
		return s.madeBy(f, v, depth)
	}
	return Unknown
}

// madeBy is what is known of the error that a call makes or puts around
// another one, or of the copy that it makes.
func (s *searcher) madeBy(f facts, call *ssa.Call, depth int) Truth {
	switch made := s.graph.made[call]; {
	case made.new:
		return True
	case made.from != nil:
		return s.eval(f, made.from, depth+1)
	}
	return Unknown
}

// made says what a call returns: something new, or what is nil exactly if
// another value is.
type made struct {
	new  bool
	from ssa.Value
}

// findMade finds the calls in a graph that make errors and copies.
func findMade(g *Graph) map[*ssa.Call]made {
	found := make(map[*ssa.Call]made)
	for _, n := range g.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok {
			continue
		}
		callee := kubeapi.Callee(call.Common())
		if kubeapi.MakesError(callee) {
			found[call] = made{new: true}
		} else if wrapped := kubeapi.WrappedError(callee, call.Common()); wrapped != nil {
			found[call] = made{from: wrapped}
		} else if callee != nil && kubeapi.IsDeepCopy(callee) {
			if original, _ := kubeapi.Args(call.Common()); original != nil {
				found[call] = made{from: original}
			}
		}
	}
	return found
}

// trackedValues are the values worth knowing: those that conditions test and
// that are tested again, merged, returned or kept in a variable. All others
// would only multiply the states of a search.
func trackedValues(g *Graph) (map[ssa.Value]int, *questions) {
	tested := make(map[ssa.Value]int)
	var order []ssa.Value // so that one input gives one answer
	var test func(v ssa.Value, weight int)
	test = func(v ssa.Value, weight int) {
		if tested[v] > 8 {
			return
		}
		if tested[v] == 0 {
			order = append(order, v)
		}
		tested[v] += weight
		if inner := g.calls.Returned(v); inner != nil {
			tested[v]++
			test(inner, weight)
		}
		switch v := v.(type) {
		case *ssa.UnOp:
			switch v.Op {
			case token.NOT:
				test(v.X, weight)
			case token.MUL:
				if cell := Cell(v.X); cell != nil {
					tested[v] += 2
					first := tested[cell] == 0
					test(cell, 2)
					if !first {
						return
					}
					// What is returned where calls are deferred is kept in a
					// variable until they have run; a named result is read
					// and stored back.
					for _, stored := range calls.StoredInto(cell) {
						if isErrorOrBool(stored.Type()) {
							test(stored, 1)
						}
					}
				}
			}
		case *ssa.BinOp:
			if x, _, ok := comparison(v); ok {
				test(x, weight)
			}
		case *ssa.Phi:
			tested[v] += 2
			for _, edge := range v.Edges {
				test(edge, 2)
			}
		case *ssa.ChangeInterface:
			test(v.X, weight)
		case *ssa.Call:
			if wrapped := kubeapi.WrappedError(kubeapi.Callee(v.Common()), v.Common()); wrapped != nil {
				test(wrapped, weight)
			}
			if err := errorAsked(v); err != nil {
				test(err, weight)
			}
		}
	}
	for _, n := range g.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.If:
			test(instr.Cond, 1)
		case *ssa.Return:
			for _, v := range instr.Results {
				if isErrorOrBool(v.Type()) {
					test(v, 1)
				}
			}
			n.eachReturned(func(result, _ ssa.Value) {
				if isErrorOrBool(result.Type()) {
					test(result, 1)
				}
			})
		}
	}
	tracked := make(map[ssa.Value]int)
	for _, v := range order {
		if _, isConst := v.(*ssa.Const); tested[v] >= 2 && !isConst {
			tracked[v] = len(tracked)
		}
	}
	return tracked, findQuestions(g, func(v ssa.Value) bool { return tested[v] > 0 })
}

func isErrorOrBool(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok {
		return b.Kind() == types.Bool
	}
	return types.IsInterface(t) && kubeapi.IsError(t)
}

// Outcome tells how an exit of the graph's function returns, as far as the
// path has established it: False for success (a nil error), True for an
// error, Unknown for an error that may be nil. A function without an error
// result always succeeds.
func (g *Graph) Outcome(exit *Node, known Known) Truth {
	ret, ok := exit.Instr.(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return False
	}
	last := ret.Results[len(ret.Results)-1]
	if !kubeapi.IsError(last.Type()) {
		return False
	}
	return known.Of(last)
}

package paths

import (
	"go/types"
	"iter"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Graph is the control flow of one function, instruction by instruction, as
// it runs: calls deferred by it stand before its returns, and function
// literals that it calls, or hands to something that calls them before it
// returns (retry.RetryOnConflict, CreateOrUpdate), stand at that call.
type Graph struct {
	Fn    *ssa.Function
	Entry *Node
	Nodes []*Node

	joined  map[*ssa.Call]bool // whose literals stand behind them
	answers map[*Node]*Node    // of those calls: where the caller goes on
	calls   *calls.Graph

	indexed sync.Once
	at      map[ssa.Instruction][]*Node

	tracking sync.Once
	tracked  map[ssa.Value]int // index in a search's facts
	// questions have the indexes after these.
	questions *questions
	live      *liveness
	made      map[*ssa.Call]made
}

// Node is one instruction in one frame.
type Node struct {
	Instr ssa.Instruction
	Frame *Frame
	// Deferred marks a deferred call at the time that it runs, as opposed to
	// the defer statement itself.
	Deferred bool
	// Joins is the call after whose spliced literals the caller goes on here;
	// the call has a node of its own before them.
	Joins ssa.CallInstruction
	Succs []*Node // for an *ssa.If: the true edge, then the false edge
	// entering is the block that a jump leads to from another block of the
	// same function, so that phis can be told.
	entering []*ssa.BasicBlock
	index    int

	// Most nodes have one successor, which needs no slices of its own.
	succ [1]*Node
	into [1]*ssa.BasicBlock
}

// Call returns the call that a node stands for, or nil.
func (n *Node) Call() ssa.CallInstruction {
	if n.Joins != nil {
		return n.Joins
	}
	call, _ := n.Instr.(ssa.CallInstruction)
	return call
}

// Calls yields the calls of a graph that are neither go nor defer statements, with their nodes.
func (g *Graph) Calls() iter.Seq2[*Node, *ssa.Call] {
	return func(yield func(*Node, *ssa.Call) bool) {
		for _, n := range g.Nodes {
			if call, ok := n.Instr.(*ssa.Call); ok && n.Joins == nil && !yield(n, call) {
				return
			}
		}
	}
}

// ErrorIs is what is known after a call whose error is nil (False), or is not.
func ErrorIs(n *Node, failed Truth) map[ssa.Value]Truth {
	assume := make(map[ssa.Value]Truth)
	for _, err := range Results(n, kubeapi.IsError) {
		assume[err] = failed
	}
	return assume
}

// Results returns the values that hold those results of a node's call whose
// type is wanted.
func Results(n *Node, wanted func(types.Type) bool) []ssa.Value {
	call, ok := n.Call().(*ssa.Call)
	if !ok {
		return nil
	}
	tuple, ok := call.Type().(*types.Tuple)
	if !ok {
		if wanted(call.Type()) {
			return []ssa.Value{call}
		}
		return nil
	}
	var found []ssa.Value
	for ref := range blocks.Uses(call) {
		if extract, ok := ref.(*ssa.Extract); ok && wanted(tuple.At(extract.Index).Type()) {
			found = append(found, extract)
		}
	}
	return found
}

// Answered returns the node after which the error of a call is known: that which
// takes it out of several results, that where the caller of a literal goes on, or
// the call's own.
func (g *Graph) Answered(at *Node) *Node {
	for _, err := range Results(at, kubeapi.IsError) {
		extract, ok := err.(*ssa.Extract)
		if !ok {
			continue
		}
		for _, n := range g.At(extract) {
			if n.Frame == at.Frame {
				return n
			}
		}
	}
	if after := g.answers[at]; after != nil {
		return after
	}
	return at
}

// eachReturned calls yield for the values that hold the results of the call that a
// node returns to from a literal, with what is returned.
func (n *Node) eachReturned(yield func(result, returned ssa.Value)) {
	ret, ok := n.Instr.(*ssa.Return)
	if !ok || !n.Frame.Called {
		return
	}
	call, ok := n.Frame.Call.(*ssa.Call)
	if !ok || len(ret.Results) == 0 {
		return
	}
	if len(ret.Results) == 1 {
		yield(call, ret.Results[0])
		return
	}
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		yield(extract, ret.Results[extract.Index])
	}
}

// Frame is one activation of a function: the function itself or a literal
// spliced into it.
type Frame struct {
	Fn     *ssa.Function
	Call   ssa.CallInstruction // nil for the outermost frame
	Parent *Frame
	// Called tells that Call calls the literal itself, so that its results are
	// the call's.
	Called bool
}

// Bounds of splicing; what lies beyond is left out of the graph.
const (
	maxFrames = 64
	maxDepth  = 5
	maxNodes  = 50_000
)

// NewGraph builds the graph of fn, which must have a body.
//
// runs, which may be nil, tells which functions call the function that they
// get as their index-th argument (the receiver not counted) before they
// return, in addition to those that [kubeapi.RunsInPlace] knows.
func NewGraph(fn *ssa.Function, calls *calls.Graph, runs func(callee *types.Func, index int) bool) *Graph {
	if runs == nil {
		runs = kubeapi.RunsInPlace
	}
	g := &Graph{Fn: fn, calls: calls}
	b := &builder{graph: g, calls: calls, runs: runs}
	entry, _ := b.function(&Frame{Fn: fn})
	g.Entry = entry
	return g
}

// At returns the nodes of an instruction: none if it cannot be reached, more
// than one if its function literal is called at several places.
func (g *Graph) At(instr ssa.Instruction) []*Node {
	g.indexed.Do(func() {
		g.at = make(map[ssa.Instruction][]*Node, len(g.Nodes))
		for _, n := range g.Nodes {
			if _, joins := n.Instr.(joint); !joins {
				g.at[n.Instr] = append(g.at[n.Instr], n)
			}
		}
	})
	return g.at[instr]
}

// AfterFailure reports whether a node is reached only where something has failed, as
// [calls.AfterFailure] does, also where a literal runs it.
func (n *Node) AfterFailure() bool {
	at := n.Instr
	for frame := n.Frame; ; frame = frame.Parent {
		if calls.AfterFailure(at) {
			return true
		}
		if frame.Call == nil {
			return false
		}
		at = frame.Call
	}
}

// Index is the node's position in the graph's Nodes.
func (n *Node) Index() int { return n.index }

type builder struct {
	graph  *Graph
	calls  *calls.Graph
	runs   func(callee *types.Func, index int) bool
	frames int
	spare  []Node // made as many at a time as a function has instructions
}

func (b *builder) node(instr ssa.Instruction, frame *Frame) *Node {
	if len(b.spare) == 0 {
		b.spare = make([]Node, 16)
	}
	n := &b.spare[0]
	b.spare = b.spare[1:]
	*n = Node{Instr: instr, Frame: frame, index: len(b.graph.Nodes)}
	b.graph.Nodes = append(b.graph.Nodes, n)
	return n
}

// link makes to follow from. block is the block entered by the edge, or nil.
func link(from, to *Node, block *ssa.BasicBlock) {
	if from == nil || to == nil {
		return
	}
	if from.Succs == nil {
		from.succ[0], from.into[0] = to, block
		from.Succs, from.entering = from.succ[:], from.into[:]
		return
	}
	from.Succs = append(from.Succs, to)
	from.entering = append(from.entering, block)
}

// expect makes room for the nodes of a function.
func (b *builder) expect(fn *ssa.Function) {
	instrs := 0
	for _, block := range fn.Blocks {
		instrs += len(block.Instrs)
	}
	if instrs > len(b.spare) {
		b.spare = make([]Node, instrs)
	}
	b.graph.Nodes = slices.Grow(b.graph.Nodes, instrs)
}

// function adds one activation and returns its entry and its returns.
func (b *builder) function(frame *Frame) (entry *Node, exits []*Node) {
	b.frames++
	fn := frame.Fn
	b.expect(fn)
	first := make([]*Node, len(fn.Blocks))
	last := make([]*Node, len(fn.Blocks))
	for i, block := range fn.Blocks {
		if block == fn.Recover || i > 0 && len(block.Preds) == 0 {
			continue // runs only after a recovered panic, or never
		}
		for _, instr := range block.Instrs {
			head, tail := b.instruction(instr, frame)
			if first[i] == nil {
				first[i] = head
			} else {
				link(last[i], head, nil)
			}
			last[i] = tail
			if tail == nil {
				break
			}
			if _, ok := instr.(*ssa.Return); ok {
				exits = append(exits, tail)
			}
		}
	}
	firstRound := b.firstRounds(frame, first)
	for i, block := range fn.Blocks {
		if last[i] == nil {
			continue
		}
		for _, succ := range blocks.Taken(block) {
			if round := firstRound[succ]; round != nil && !succ.Dominates(block) {
				link(last[i], round, succ)
				continue
			}
			link(last[i], first[succ.Index], succ)
		}
	}
	return first[0], exits
}

// firstRounds lays the heads of loops out once more that have a first round for
// sure: from there, a path leads into the loop only. It returns their entries.
func (b *builder) firstRounds(frame *Frame, first []*Node) map[*ssa.BasicBlock]*Node {
	var heads map[*ssa.BasicBlock]*Node
	for i, block := range frame.Fn.Blocks {
		if first[i] == nil || !blocks.IsFilled(block) {
			continue
		}
		var last *Node
		for _, instr := range block.Instrs {
			n := b.node(instr, frame)
			if last == nil {
				if heads == nil {
					heads = make(map[*ssa.BasicBlock]*Node)
				}
				heads[block] = n
			}
			link(last, n, nil)
			last = n
		}
		link(last, first[block.Succs[0].Index], block.Succs[0])
	}
	return heads
}

// instruction adds one instruction with what it runs. tail is nil if nothing
// follows it.
func (b *builder) instruction(instr ssa.Instruction, frame *Frame) (head, tail *Node) {
	switch instr := instr.(type) {
	case *ssa.RunDefers:
		return b.defers(instr, frame)
	case *ssa.Call:
		head = b.node(instr, frame)
		return head, b.splice(head, instr, frame)
	}
	head = b.node(instr, frame)
	return head, head
}

// splice puts the function literals that a call runs behind it, and returns
// the node after which the caller goes on.
func (b *builder) splice(at *Node, call ssa.CallInstruction, frame *Frame) *Node {
	common := call.Common()
	if !common.IsInvoke() {
		if literal := Literal(b.calls, common.Value); literal != nil {
			return b.run(at, literal, call, frame, calls.Running{Always: true})
		}
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return at
	}
	_, args := kubeapi.Args(common)
	for i, arg := range args {
		if how, ok := b.calls.RunsArg(common, len(common.Args)-len(args)+i); ok {
			if literal := Literal(b.calls, arg); literal != nil {
				at = b.run(at, literal, call, frame, how)
			}
			continue
		}
		if !kubeapi.RunsInPlace(callee, i) && !b.runs(callee, i) {
			continue
		}
		if literal := Literal(b.calls, arg); literal != nil {
			at = b.run(at, literal, call, frame, calls.Running{Always: true, Again: true})
		}
	}
	return at
}

// Literal returns the function literal that v surely is, so that a graph has
// it where v is called, or nil. A parameter of a declared function is none:
// what callers hand in belongs to them.
func Literal(calls *calls.Graph, v ssa.Value) *ssa.Function {
	for {
		change, ok := v.(*ssa.ChangeType)
		if !ok {
			break
		}
		v = change.X
	}
	if param, ok := v.(*ssa.Parameter); ok && param.Parent().Parent() == nil {
		return nil
	}
	targets := calls.FuncsOf(v)
	if !targets.Closed || len(targets.Funcs) != 1 || targets.Funcs[0].Parent() == nil {
		return nil
	}
	return targets.Funcs[0]
}

// run splices one activation of fn behind at.
func (b *builder) run(at *Node, fn *ssa.Function, call ssa.CallInstruction, frame *Frame, how calls.Running) *Node {
	if fn.Parent() == nil || fn.Blocks == nil || b.frames >= maxFrames || len(b.graph.Nodes) > maxNodes {
		return at // a declared function: its summary tells what it does
	}
	depth := 0
	for f := frame; f != nil; f = f.Parent {
		if f.Fn == fn {
			return at // recursion
		}
		depth++
	}
	if depth > maxDepth {
		return at
	}
	called := !call.Common().IsInvoke() && Literal(b.calls, call.Common().Value) == fn
	entry, exits := b.function(&Frame{Fn: fn, Call: call, Parent: frame, Called: called})
	link(at, entry, nil)
	after := b.node(joint{call}, frame)
	after.Joins = call
	if value, ok := call.(*ssa.Call); ok && called {
		if b.graph.joined == nil {
			b.graph.joined = make(map[*ssa.Call]bool)
			b.graph.answers = make(map[*Node]*Node)
		}
		b.graph.joined[value] = true
		b.graph.answers[at] = after
	}
	if !how.Always {
		link(at, after, nil)
	}
	for _, exit := range exits {
		link(exit, after, nil)
		if how.Again {
			link(exit, entry, nil)
		}
	}
	return after
}

// joint stands where a caller goes on after a spliced literal. It is no
// instruction of its own: rules look at the call's node.
type joint struct{ ssa.Instruction }

// defers runs the deferred calls of a function, last first. Those that are
// not known to have been deferred on every path can be passed by; those that
// are deferred on none that leads here do not run.
func (b *builder) defers(at *ssa.RunDefers, frame *Frame) (head, tail *Node) {
	head = b.node(at, frame)
	tail = head
	if len(b.graph.Nodes) > maxNodes {
		return head, tail // laid out at each return, they are too many
	}
	deferred := slices.Collect(blocks.InstrsOf[*ssa.Defer](frame.Fn))
	for _, d := range slices.Backward(deferred) {
		if !blocks.Reaches(d.Block(), at.Block()) {
			continue
		}
		n := b.node(d, frame)
		n.Deferred = true
		before := tail
		link(tail, n, nil)
		tail = b.splice(n, d, frame)
		if d.Block() != at.Block() && !d.Block().Dominates(at.Block()) {
			join := b.node(joint{at}, frame)
			link(tail, join, nil)
			link(before, join, nil)
			tail = join
		}
	}
	return head, tail
}

// IsExit reports whether n returns from the graph's own function, not from a
// literal spliced into it.
func (g *Graph) IsExit(n *Node) bool {
	_, ok := n.Instr.(*ssa.Return)
	return ok && n.Frame.Parent == nil
}

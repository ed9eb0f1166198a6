package channels

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// receiver is one function that is asked whether it stays.
type receiver struct {
	info  *Channels
	ch    *Channel
	fn    *ssa.Function
	q     Question
	depth int
	graph *paths.Graph

	// done are conditions which tell that all was received; gone those which
	// tell that the receiver goes away.
	done, gone []edge
	// below is how a function that is called stops receiving.
	below *Leave
	// asked are the conditions that ask which case of a select was taken.
	asked map[*ssa.Select][]ssa.Value
}

// edge is a condition with the value that matters.
type edge struct {
	cond  ssa.Value
	when  bool
	leave Leave
	from  *ssa.Select // the select whose case it is
	// before are the conditions that ask for the cases in front of it: if
	// one of them holds, what is known of this one is from a former round.
	before []ssa.Value
}

// receives reports whether v is the channel, or one that is as good.
func (r *receiver) receives(v ssa.Value) bool {
	return r.ch.MayBe(v) || slices.ContainsFunc(r.q.Enough, func(other *Channel) bool { return other.MayBe(v) })
}

// gather finds the conditions that matter in the functions of the graph.
func (r *receiver) gather() {
	r.asked = make(map[*ssa.Select][]ssa.Value)
	seen := make(map[*ssa.Function]bool)
	for _, n := range r.graph.Nodes {
		fn := n.Frame.Fn
		if seen[fn] {
			continue
		}
		seen[fn] = true
		for _, block := range fn.Blocks {
			r.branch(block)
		}
		for _, loop := range loops.Of(fn) {
			if r.receivesIn(loop) {
				r.exits(loop)
			}
		}
	}
}

// branch looks at the condition at the end of a block.
func (r *receiver) branch(block *ssa.BasicBlock) {
	branch, ok := blocks.Last(block).(*ssa.If)
	if !ok {
		return
	}
	if open := r.open(branch.Cond); open != nil {
		r.done = append(r.done, edge{cond: open, when: false})
		return
	}
	sel, state := loops.SelectCase(branch.Cond)
	if sel == nil || state == nil || !r.selects(sel) {
		return
	}
	e := edge{cond: branch.Cond, when: true, from: sel, before: slices.Clone(r.asked[sel])}
	r.asked[sel] = append(r.asked[sel], branch.Cond)
	switch {
	case state.Dir == types.RecvOnly && r.receives(state.Chan):
		if !r.q.Many || !r.ch.MayBe(state.Chan) {
			r.done = append(r.done, e)
		}
	case r.q.Many && state.Dir == types.RecvOnly && r.outside(state.Chan):
		e.leave = Leave{At: state.Pos, Chan: state.Chan}
		r.gone = append(r.gone, e)
	}
}

// open returns what a condition asks if that is whether the channel is still open, or nil.
func (r *receiver) open(cond ssa.Value) ssa.Value {
	cond, _ = values.Asked(cond, true)
	extract, ok := cond.(*ssa.Extract)
	if !ok || extract.Index != 1 {
		return nil
	}
	switch tuple := extract.Tuple.(type) {
	case *ssa.UnOp:
		if r.isReceive(tuple) {
			return extract
		}
	case *ssa.Select:
		// The second result is about the case that was taken.
		if r.selects(tuple) {
			return extract
		}
	}
	return nil
}

// selects reports whether a select has a case that receives.
func (r *receiver) selects(sel *ssa.Select) bool {
	for ch := range blocks.Received(sel) {
		if r.receives(ch) {
			return true
		}
	}
	return false
}

func (r *receiver) receivesIn(loop *loops.Loop) bool {
	for block := range loop.Blocks {
		for _, instr := range block.Instrs {
			if r.isReceive(instr) {
				return true
			}
			if sel, ok := instr.(*ssa.Select); ok && r.selects(sel) {
				return true
			}
		}
	}
	return false
}

// isReceive reports whether an instruction receives, and does nothing else.
func (r *receiver) isReceive(instr ssa.Instruction) bool {
	recv, ok := instr.(*ssa.UnOp)
	return ok && recv.Op == token.ARROW && r.receives(recv.X)
}

// exits looks at the ways out of a loop that receives. One at the head of the
// loop counts or knows what is missing.
func (r *receiver) exits(loop *loops.Loop) {
	for _, exit := range loop.Exits() {
		if exit.Cond == nil || r.open(exit.Cond) != nil {
			continue
		}
		if sel, _ := loops.SelectCase(exit.Cond); sel != nil {
			continue
		}
		if exit.From == loop.Head || counts(loop, exit) {
			r.done = append(r.done, edge{cond: exit.Cond, when: exit.When})
			r.skipped(loop, exit)
			continue
		}
		if r.q.Many && failed(exit.Cond, exit.When) {
			r.gone = append(r.gone, edge{cond: exit.Cond, when: exit.When, leave: Leave{At: exit.Cond.Pos(), Failed: true}})
		}
	}
}

// counts reports whether a way out at the end of a loop's body is that of a
// range over an integer: the counter has reached its limit.
func counts(loop *loops.Loop, exit loops.Exit) bool {
	compare, ok := exit.Cond.(*ssa.BinOp)
	if !ok || compare.Op != token.LSS || exit.When {
		return false
	}
	next, ok := compare.X.(*ssa.BinOp)
	if !ok || next.Op != token.ADD {
		return false
	}
	counter, ok := next.X.(*ssa.Phi)
	return ok && counter.Block() == loop.Head
}

// skipped adds the condition by which a loop is passed by as a whole, since
// there is nothing to count.
func (r *receiver) skipped(loop *loops.Loop, exit loops.Exit) {
	for _, pred := range loop.Head.Preds {
		branch, ok := blocks.Last(pred).(*ssa.If)
		if !ok || loop.Blocks[pred] {
			continue
		}
		for n, succ := range pred.Succs {
			if succ == exit.To {
				r.done = append(r.done, edge{cond: branch.Cond, when: n == 0})
			}
		}
	}
}

// failed reports whether a condition asks if something that was called has
// failed: an error that is not nil.
func failed(cond ssa.Value, when bool) bool {
	compare, ok := cond.(*ssa.BinOp)
	if !ok || compare.Op != token.NEQ && compare.Op != token.EQL || (compare.Op == token.NEQ) != when {
		return false
	}
	v := compare.X
	if calls.IsNil(v) {
		v = compare.Y
	}
	call, _ := calls.CallOf(v)
	return call != nil && kubeapi.IsError(v.Type())
}

// outside reports whether a channel brings the word to stop from elsewhere: a
// context that the package's own code does not merely cancel when all is
// done, a timer, a stop channel that is handed in.
func (r *receiver) outside(v ssa.Value) bool {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		return r.fromOutside(ctx, 0)
	}
	if loops.IsTimer(v) {
		return !ticks(v)
	}
	// A channel of the same function or struct says that the work is done.
	known := r.info.Of(v)
	return known != nil && known.Made == nil && kubeapi.IsStopChannel(v.Type())
}

// fromOutside reports whether a context is none that the package's own code made, and
// cancels when the work is done. One that is a parameter may be that of the caller.
func (r *receiver) fromOutside(ctx ssa.Value, depth int) bool {
	for _, origin := range r.info.contexts.Origins(ctx) {
		switch origin.Kind {
		case contexts.Detached, contexts.Severed:
			if !origin.Derived(contexts.Timeout) {
				return false
			}
		case contexts.Param:
			param, ok := origin.Root.(*ssa.Parameter)
			if !ok || depth > 3 {
				continue
			}
			given, known := r.info.graph.HandedOver(param)
			if known && !slices.ContainsFunc(given, func(v ssa.Value) bool { return r.fromOutside(v, depth+1) }) {
				return false
			}
		}
	}
	return true
}

// ticks reports whether a channel is a ticker's: it does not end anything.
func ticks(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && kubeapi.IsNamed(field.X.Type(), "time", "Ticker")
}

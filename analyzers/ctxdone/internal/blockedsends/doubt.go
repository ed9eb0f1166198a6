package blockedsends

import (
	"go/token"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
)

// serves reports whether the sender says how a server has ended that it runs:
// the function that waits for it lives as long as the server, and what is left
// behind is one goroutine for each server.
func (s *sends) serves(send peer) bool {
	return send.Body != nil && (s.runsServer(send.Body, 0) || s.runsServer(send.Op.Fn(), 0))
}

// maxChosen bounds the functions in variables that are looked into.
const maxChosen = 2

// runsServer reports whether a function calls one that goes on as long as its server, or a
// variable that holds one.
func (s *sends) runsServer(fn *ssa.Function, depth int) bool {
	return blocks.Any(fn, func(call *ssa.Call) bool {
		if kubeapi.IsEndless(kubeapi.Callee(call.Common())) {
			return true
		}
		if call.Call.IsInvoke() || call.Call.StaticCallee() != nil || depth == maxChosen {
			return false
		}
		chosen := s.Graph.Callees(call)
		return slices.ContainsFunc(chosen.External, func(e calls.External) bool { return kubeapi.IsEndless(e.Func) }) ||
			slices.ContainsFunc(chosen.Funcs, func(fn *ssa.Function) bool { return s.runsServer(fn, depth+1) })
	})
}

// stopped reports whether what starts the sender is a timer, or a function
// that waits for a context, and is stopped by who has started it.
func stopped(spawn ssa.Instruction) bool {
	call, ok := spawn.(*ssa.Call)
	return ok && blocks.AnyUse(call, func(use ssa.CallInstruction) bool {
		return use.Common().Value == call || kubeapi.IsStop(kubeapi.Callee(use.Common()))
	})
}

// looksFirst reports whether the sender looks, right before it sends, whether
// the receiver has been told to go: what remains is a race.
func (s *sends) looksFirst(send peer) bool {
	for branch := range justDecided(send) {
		if asksWhetherDone(branch.Cond) {
			return true
		}
	}
	return false
}

// justDecided yields the branches that the sender has passed one way, the nearest first, as
// long as it has done nothing in between that takes time.
func justDecided(send peer) iter.Seq2[*ssa.If, bool] {
	return func(yield func(*ssa.If, bool) bool) {
		for block := send.Op.Instr.Block(); block.Idom() != nil && !takesTime(block, send.Op.Instr); block = block.Idom() {
			from := block.Idom()
			branch, ok := blocks.Last(from).(*ssa.If)
			if ok && len(block.Preds) == 1 && !yield(branch, from.Succs[0] == block) {
				return
			}
		}
	}
}

// forgotten reports whether a receiver sets its variable to nil when the channel has been
// closed, as a loop does that goes on until all of several are: it returns once nobody
// sends any more.
func forgotten(receivers []peer) bool {
	return slices.ContainsFunc(receivers, func(receive peer) bool {
		var held []ssa.Value
		switch ch := receivedFrom(receive.Op).(type) {
		case *ssa.Phi:
			held = ch.Edges
		case *ssa.UnOp:
			if variable, ok := calls.Captured(ch.X).(*ssa.Alloc); ok {
				held = calls.StoredInto(variable)
			}
		}
		return slices.ContainsFunc(held, calls.IsNil)
	})
}

// receivedFrom is the channel as a receive has it, or nil.
func receivedFrom(op channels.Op) ssa.Value {
	if op.State != nil {
		return op.State.Chan
	}
	if recv, ok := op.Instr.(*ssa.UnOp); ok {
		return recv.X
	}
	return nil
}

// failsFirst reports whether the sender has just made a call that fails once the receiver's
// context has ended, and does not send then: what remains is a race, too.
func (s *sends) failsFirst(send peer, away []gone) bool {
	for branch, held := range justDecided(send) {
		compare, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !kubeapi.IsError(compare.X.Type()) || (compare.Op == token.EQL) != held {
			continue
		}
		call, _ := calls.CallOf(compare.X)
		return call != nil && !slices.ContainsFunc(away, func(g gone) bool { return !s.hears(call, g) })
	}
	return false
}

// hears reports whether a call is handed the context that a receiver listens to, or one
// derived from it.
func (s *sends) hears(call *ssa.Call, g gone) bool {
	ended := kubeapi.DoneOf(g.leave.Chan)
	return ended != nil && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		return kubeapi.IsContext(v.Type()) && s.Contexts.EndsWith(v, ended)
	})
}

// takesTime reports whether a block, up to the send if that is in it, calls
// something that may take its time.
func takesTime(block *ssa.BasicBlock, send ssa.Instruction) bool {
	for _, instr := range block.Instrs {
		if instr == send {
			return false
		}
		if call, ok := instr.(*ssa.Call); ok && !isBuiltin(call) && !kubeapi.IsHarmless(kubeapi.Callee(call.Common())) {
			return true
		}
	}
	return false
}

func isBuiltin(call ssa.CallInstruction) bool {
	_, ok := call.Common().Value.(*ssa.Builtin)
	return ok
}

// asksWhetherDone reports whether a condition asks a context or stop channel
// whether it is done, without waiting.
func asksWhetherDone(cond ssa.Value) bool {
	if sel, _ := loops.SelectCase(cond); sel != nil {
		return !sel.Blocking && slices.ContainsFunc(slices.Collect(blocks.Received(sel)), func(ch ssa.Value) bool {
			return kubeapi.DoneOf(ch) != nil || kubeapi.IsStopChannel(ch.Type())
		})
	}
	compare, ok := cond.(*ssa.BinOp)
	return ok && (compare.Op == token.EQL || compare.Op == token.NEQ) && (loops.ErrOf(compare.X) != nil || loops.ErrOf(compare.Y) != nil)
}

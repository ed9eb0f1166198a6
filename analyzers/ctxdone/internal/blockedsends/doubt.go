package blockedsends

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// serves reports whether the sender says how a server has ended that it runs:
// the function that waits for it lives as long as the server, and what is left
// behind is one goroutine for each server.
func (s *sends) serves(send peer) bool {
	if send.Body == nil {
		return false
	}
	for _, fn := range []*ssa.Function{send.Body, send.Op.Fn()} {
		for instr := range blocks.Instrs(fn) {
			if call, ok := instr.(*ssa.Call); ok && kubeapi.IsEndless(kubeapi.Callee(call.Common())) {
				return true
			}
		}
	}
	return false
}

// stopped reports whether what starts the sender is a timer, or a function
// that waits for a context, and is stopped by who has started it.
func stopped(spawn ssa.Instruction) bool {
	call, ok := spawn.(*ssa.Call)
	if !ok || call.Referrers() == nil {
		return false
	}
	for _, ref := range *call.Referrers() {
		use, ok := ref.(ssa.CallInstruction)
		if ok && (use.Common().Value == call || kubeapi.IsStop(kubeapi.Callee(use.Common()))) {
			return true
		}
	}
	return false
}

// looksFirst reports whether the sender looks, right before it sends, whether
// the receiver has been told to go: what remains is a race.
func (s *sends) looksFirst(send peer) bool {
	for block := send.Op.Instr.Block(); block.Idom() != nil; block = block.Idom() {
		from := block.Idom()
		if takesTime(block, send.Op.Instr) {
			return false
		}
		branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if ok && len(block.Preds) == 1 && asksWhetherDone(branch.Cond) {
			return true
		}
	}
	return false
}

// takesTime reports whether a block, up to the send if that is in it, calls
// something that may take its time.
func takesTime(block *ssa.BasicBlock, send ssa.Instruction) bool {
	for _, instr := range block.Instrs {
		if instr == send {
			return false
		}
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		if _, ok := call.Common().Value.(*ssa.Builtin); !ok && !kubeapi.IsHarmless(kubeapi.Callee(call.Common())) {
			return true
		}
	}
	return false
}

// asksWhetherDone reports whether a condition asks a context or stop channel
// whether it is done, without waiting.
func asksWhetherDone(cond ssa.Value) bool {
	if sel, _ := loops.SelectCase(cond); sel != nil {
		if sel.Blocking {
			return false
		}
		for _, state := range sel.States {
			if state.Dir == types.RecvOnly && (kubeapi.DoneOf(state.Chan) != nil || kubeapi.IsStopChannel(state.Chan.Type())) {
				return true
			}
		}
		return false
	}
	compare, ok := cond.(*ssa.BinOp)
	if !ok || compare.Op != token.EQL && compare.Op != token.NEQ {
		return false
	}
	return loops.ErrOf(compare.X) != nil || loops.ErrOf(compare.Y) != nil
}

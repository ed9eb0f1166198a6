package waits

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// listensIn reports whether a loop asks in its rounds whether a context or
// stop channel has ended, or ends with the channel that it ranges over, itself
// or through what it calls.
func (i *Waits) listensIn(loop *loops.Loop) bool {
	for block := range loop.Blocks {
		for _, instr := range block.Instrs {
			if i.listensAt(instr, 0) {
				return true
			}
		}
	}
	return false
}

// maxListen bounds the calls through which a function is seen to listen.
const maxListen = 2

func (i *Waits) listensAt(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.Select:
		for ch := range blocks.Received(instr) {
			if isStopSignal(ch) {
				return true
			}
		}
	case *ssa.UnOp:
		// A range over a channel ends when that is closed.
		if _, timer := kubeapi.TimerChannel(instr.X); instr.Op == token.ARROW && instr.CommaOk && !timer {
			return true
		}
	case *ssa.Call:
		if loops.ErrOf(instr) != nil {
			return true
		}
		callee := kubeapi.Callee(instr.Common())
		if callee != nil && callee.Pkg() != i.pass.Pkg && asksContext(callee) {
			return true
		}
		return depth < maxListen &&
			slices.ContainsFunc(i.graph.Callees(instr).Funcs, func(fn *ssa.Function) bool { return i.functionListens(fn, depth+1) })
	}
	return false
}

// failsIn reports whether a loop ends when a call fails that gets a context: a
// call of a client does once the context has ended.
func failsIn(loop *loops.Loop) bool {
	for _, exit := range loop.Exits() {
		compare, ok := exit.Cond.(*ssa.BinOp)
		if !ok || !kubeapi.IsError(compare.X.Type()) || (compare.Op == token.NEQ) != exit.When {
			continue
		}
		call, _ := calls.CallOf(compare.X)
		if call != nil && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) }) {
			return true
		}
	}
	return false
}

// Listens reports whether a function asks if a context or stop channel has
// ended, itself or through what it calls.
func (i *Waits) Listens(fn *ssa.Function) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.functionListens(fn, 0)
}

func (i *Waits) functionListens(fn *ssa.Function, depth int) bool {
	if known, ok := i.listens[fn]; ok {
		return known
	}
	i.listens[fn] = false // for recursion
	found := blocks.Any(fn, func(instr ssa.Instruction) bool { return i.listensAt(instr, depth) })
	i.listens[fn] = found
	return found
}

// asksContext recognises helpers of other packages that only tell whether a
// context has ended: one context in, one bool or error out.
func asksContext(callee *types.Func) bool {
	sig := callee.Signature()
	return sig.Params().Len() == 1 && sig.Results().Len() == 1 && kubeapi.IsContext(sig.Params().At(0).Type()) && kubeapi.IsBool(sig.Results().At(0).Type())
}

// isStopSignal reports whether a channel tells to stop: the Done of a context,
// or a channel of empty structs.
func isStopSignal(ch ssa.Value) bool {
	return kubeapi.DoneOf(ch) != nil || kubeapi.IsStopChannel(ch.Type())
}

// IsOver reports whether a context or stop channel is known to have ended when
// an instruction is reached, or the call through which alone that is.
func (i *Waits) IsOver(at ssa.Instruction) bool {
	for range maxCallers {
		if i.isOver(at, 0) {
			return true
		}
		call := i.onlyCall(at.Parent())
		if call == nil {
			return false
		}
		at = call
	}
	return false
}

// isOver reports whether a context or stop channel is known to have ended when
// an instruction is reached: after a receive from it, in its case of a select,
// behind a check of its error, or a function that does not return before. A context
// that is nil there counts as well.
func (i *Waits) isOver(reached ssa.Instruction, depth int) bool {
	for at := reached.Block(); at != nil; at = at.Idom() {
		for _, instr := range at.Instrs {
			if instr == reached {
				break
			}
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op == token.ARROW && isStopSignal(instr.X) {
					return true
				}
			case *ssa.Call:
				if depth < maxListen && i.awaitsEnd(instr, depth) {
					return true
				}
			}
		}
		above := at.Idom()
		if above == nil || len(at.Preds) != 1 {
			continue
		}
		branch, ok := blocks.Last(above).(*ssa.If)
		if !ok {
			continue
		}
		if _, state := loops.SelectCase(branch.Cond); state != nil && at == above.Succs[0] && state.Dir == types.RecvOnly && isStopSignal(state.Chan) {
			return true
		}
		compare, ok := branch.Cond.(*ssa.BinOp)
		if ok && kubeapi.IsContext(compare.X.Type()) && calls.IsNil(compare.Y) && at == blocks.Side(branch, compare.Op == token.EQL) {
			return true
		}
		if ok && loops.ErrOf(compare.X) != nil && at == blocks.Side(branch, compare.Op == token.NEQ) {
			return true
		}
	}
	return false
}

// awaitsEnd reports whether a call does not return before a context or stop channel
// has ended.
func (i *Waits) awaitsEnd(call *ssa.Call, depth int) bool {
	targets := i.graph.Callees(call).Funcs
	if callee := kubeapi.Callee(call.Common()); len(targets) == 0 && callee != nil && callee.Pkg() != nil {
		return i.pass.ImportObjectFact(callee, new(Awaits))
	}
	return len(targets) == 1 && i.awaits(targets[0], depth)
}

// awaits reports whether a function returns, and not before a context or stop channel
// has ended.
func (i *Waits) awaits(fn *ssa.Function, depth int) bool {
	returns := false
	for ret := range blocks.Returns(fn) {
		if !i.isOver(ret, depth+1) {
			return false
		}
		returns = true
	}
	return returns
}

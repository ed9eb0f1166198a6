package blockedsends

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
)

// closedBehind returns the close that a receiver leaves behind on all its ways, before the sender
// is through: the send that waits, or comes later, panics. It is nil if that is not certain.
func closedBehind(send peer, senders []peer, away []gone) ssa.Instruction {
	if len(away) != 1 || !away[0].Own() || away[0].Op.Kind == channels.HandOver || recovers(send) {
		return nil
	}
	receive := away[0].Op.Instr
	fn := receive.Parent()
	if away[0].Frame != fn || waitsForOthers(receive) {
		return nil
	}
	for _, by := range senders {
		if by.Op.Kind != channels.Close || !by.Own() {
			continue
		}
		at := by.Op.Instr
		if run := calls.Deferred(at.Parent()); run != nil && blocks.Inevitable(at.Block()) {
			at = run
		}
		if at.Parent() != fn {
			continue
		}
		if _, deferred := at.(*ssa.Defer); deferred && blocks.Precedes(at, receive) || !deferred && endsWith(receive, at) {
			return at
		}
	}
	return nil
}

// endsWith reports whether a function makes a call whenever it returns after an instruction.
func endsWith(after, call ssa.Instruction) bool {
	if !blocks.Follows(after, call) {
		return false
	}
	without := blocks.ReturnsWithout(call.Block())
	return !without[after.Block().Index] && !slices.ContainsFunc(after.Block().Succs, func(next *ssa.BasicBlock) bool { return without[next.Index] })
}

// waitsForOthers reports whether a function that has received may then wait for who knows whom,
// the sender perhaps, before it returns.
func waitsForOthers(receive ssa.Instruction) bool {
	fn := receive.Parent()
	if channels.AwaitsGroup(fn) {
		return true
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		if deferred, ok := instr.(*ssa.Defer); ok && !returnsAtOnce(deferred) {
			return true
		}
		return instr != receive && holdsUp(instr, 0) && blocks.Follows(receive, instr)
	})
}

// holdsUp reports whether an instruction may wait for somebody: it receives, or calls what may.
func holdsUp(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Select:
		return instr.Blocking
	case *ssa.Call:
		return mayWait(instr, depth)
	}
	return false
}

// maxWaiting bounds the functions within functions that are looked into.
const maxWaiting = 2

// mayWait reports whether a call may wait for somebody: what is called receives, or is a method that
// is not known.
func mayWait(call *ssa.Call, depth int) bool {
	callee := kubeapi.Callee(&call.Call)
	switch {
	case isBuiltin(call), kubeapi.IsCancel(call.Call.Value.Type()):
		return false
	case callee == nil:
		return true
	case kubeapi.IsHarmless(callee):
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil || len(fn.Blocks) == 0 {
		recv := callee.Signature().Recv()
		return recv != nil && !kubeapi.IsContext(recv.Type())
	}
	if depth > maxWaiting || channels.AwaitsGroup(fn) {
		return true
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool { return holdsUp(instr, depth+1) })
}

// returnsAtOnce reports whether a deferred call neither waits nor recovers, as far as one can see:
// of a builtin, of what cancels a context, of a lock.
func returnsAtOnce(deferred *ssa.Defer) bool {
	if closure, ok := deferred.Call.Value.(*ssa.MakeClosure); ok {
		return !blocks.Any(closure.Fn.(*ssa.Function), func(call ssa.CallInstruction) bool { return !returnsItself(call) })
	}
	return returnsItself(deferred)
}

// returnsItself is the same for one call.
func returnsItself(call ssa.CallInstruction) bool {
	common := call.Common()
	builtin, ok := common.Value.(*ssa.Builtin)
	return ok && builtin.Name() != "recover" || kubeapi.IsCancel(common.Value.Type()) || kubeapi.IsHarmless(kubeapi.Callee(common))
}

// recovers reports whether the sender, or a function on the way to its send, defers a function
// that may recover.
func recovers(send peer) bool {
	return slices.ContainsFunc([]*ssa.Function{send.Op.Fn(), send.Body}, func(fn *ssa.Function) bool {
		for ; fn != nil; fn = fn.Parent() {
			for deferred := range blocks.InstrsOf[*ssa.Defer](fn) {
				if !returnsAtOnce(deferred) {
					return true
				}
			}
			if fn == send.Body {
				break
			}
		}
		return false
	})
}

package deadlines

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// How tells what ends a context, or shows that it has ended.
type How uint8

// The ways in which a context is known to have ended.
const (
	// Waited is a receive from its Done channel, a check of its Err, or a call
	// that returns only then.
	Waited How = iota
	// Cancelled is a call of the function that cancels it.
	Cancelled
	// Closed is a call of a method of something that was made with the function
	// that cancels it, and calls it.
	Closed
	// Joined is a call of its group's Wait.
	Joined
)

// End is an instruction after which a context has ended.
type End struct {
	ID  ID
	How How
	Pos token.Pos
	// Sure tells that the context has ended whenever the instruction is left.
	// Otherwise it has, or something has failed.
	Sure bool
}

// endsOf returns the contexts that have ended when a node has run.
func (i *Deadlines) endsOf(n *paths.Node) []End {
	if recv, ok := n.Instr.(*ssa.UnOp); ok && recv.Op == token.ARROW {
		if id := i.doneID(recv.X); id != nil {
			return []End{{ID: id, Pos: recv.Pos(), Sure: true}}
		}
		return nil
	}
	call := runs(n)
	if n.Joins != nil {
		call = n.Joins
	}
	if call == nil {
		return nil
	}
	common := call.Common()
	if until, sure, ok := kubeapi.ReturnsWhenDone(common); ok {
		if id := i.IDOf(until); id != nil {
			return []End{{ID: id, Pos: call.Pos(), Sure: sure}}
		}
		return nil
	}
	if !common.IsInvoke() && kubeapi.IsCancel(common.Value.Type()) {
		if id := i.CancelledBy(common.Value); id != nil {
			return []End{{ID: id, How: Cancelled, Pos: call.Pos(), Sure: true}}
		}
		return nil
	}
	callee := kubeapi.Callee(common)
	if id := i.groupOf(callee, common); id != nil {
		return []End{{ID: id, How: Joined, Pos: call.Pos(), Sure: true}}
	}
	if id := i.closes(call, callee); id != nil {
		return []End{{ID: id, How: Closed, Pos: call.Pos(), Sure: true}}
	}
	return i.endsByCallee(call)
}

// runs returns the call that a node runs: a deferred one when it runs, not
// when it is deferred, and none that a goroutine runs.
func runs(n *paths.Node) ssa.CallInstruction {
	if n.Joins != nil {
		return nil // the call has a node of its own
	}
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		return instr
	case *ssa.Defer:
		if n.Deferred {
			return instr
		}
	}
	return nil
}

// endsByCallee asks what the called function does.
func (i *Deadlines) endsByCallee(call ssa.CallInstruction) []End {
	b := i.Of(call)
	if b == nil {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	var ends []End
	for _, id := range i.handed(call, b.Waits) {
		ends = append(ends, End{ID: id, Pos: call.Pos(), Sure: true})
	}
	for _, p := range b.Cancels {
		if p < len(operands) && kubeapi.IsCancel(operands[p].Type()) {
			if id := i.CancelledBy(operands[p]); id != nil {
				ends = append(ends, End{ID: id, How: Cancelled, Pos: call.Pos(), Sure: true})
			}
		}
	}
	return ends
}

// doneID returns the context whose Done channel ch is, or nil.
func (i *Deadlines) doneID(ch ssa.Value) ID {
	if !kubeapi.IsStopChannel(ch.Type()) {
		return nil
	}
	return i.IDOf(ch)
}

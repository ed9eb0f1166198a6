package endlessloops

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// spinsOnClosed reports the receives of a loop that take events from a watch
// without asking whether it is closed: the server closes watches, and a closed
// channel is ready forever.
func (c *loopCheck) spinsOnClosed(loop *loops.Loop) bool {
	for instr := range loops.InstrsOf[ssa.Instruction](loop) {
		for _, r := range eventReceives(instr) {
			if c.innermost(loop, instr) && c.spins(loop, r) {
				c.Report.Report(rule.Finding{Pos: r.pos, Category: "endless-loop", Message: closedMessage, Harm: c.closedHarm(loop, instr)})
				return true
			}
		}
	}
	return false
}

const closedMessage = "this loop spins at full speed once the server closes the watch, as it does every few minutes; " +
	"receive with \", ok\", and return or watch anew if it is false"

// closedHarm is little where the select has a case for a timer that runs since before the
// loop: the watch is for a while only; and where nothing shows that an operator runs it.
func (c *loopCheck) closedHarm(loop *loops.Loop, at ssa.Instruction) rule.Harm {
	if c.pathTo(loop.Head.Parent()) == nil {
		return rule.Hygiene
	}
	sel, ok := at.(*ssa.Select)
	if !ok {
		return 0
	}
	for _, state := range sel.States {
		made, ok := state.Chan.(ssa.Instruction)
		if ok && loops.IsTimer(state.Chan) && !loop.Blocks[made.Block()] {
			return rule.Hygiene
		}
	}
	return 0
}

// receive takes an event from the channel of a watch.
type receive struct {
	instr ssa.Instruction
	ch    ssa.Value       // the call of ResultChan
	event ssa.Value       // nil if it is dropped
	from  *ssa.BasicBlock // the branch that leads to the case of a select, or nil
	pos   token.Pos
}

// eventReceives returns the receives from watches that an instruction makes
// without asking whether the channel is closed.
func eventReceives(instr ssa.Instruction) []receive {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.ARROW && !instr.CommaOk && isResultChan(instr.X) {
			return []receive{{instr: instr, ch: instr.X, event: instr, pos: instr.Pos()}}
		}
	case *ssa.Select:
		return selectReceives(instr)
	}
	return nil
}

func selectReceives(sel *ssa.Select) []receive {
	var found []receive
	branches, events := make(map[int]*ssa.BasicBlock), make(map[int]ssa.Value)
	for extract := range blocks.UsesOf[*ssa.Extract](sel) {
		switch extract.Index {
		case 0:
			for compare := range blocks.UsesOf[*ssa.BinOp](extract) {
				k, isConst := calls.ConstIndex(compare.Y)
				if branch, isIf := blocks.Last(compare.Block()).(*ssa.If); isConst && isIf && branch.Cond == compare {
					branches[k] = compare.Block()
				}
			}
		case 1:
			if !calls.Unused(extract) {
				return nil // it is asked whether the channel is closed
			}
		default:
			events[extract.Index] = extract
		}
	}
	index := 2
	for i, state := range sel.States {
		if state.Dir != types.RecvOnly {
			continue
		}
		if isResultChan(state.Chan) && branches[i] != nil {
			found = append(found, receive{instr: sel, ch: state.Chan, event: events[index], from: branches[i], pos: state.Pos})
		}
		index++
	}
	return found
}

// isResultChan reports whether a channel is that of a watch, also if it was
// kept in a variable.
func isResultChan(ch ssa.Value) bool {
	call, ok := ch.(*ssa.Call)
	if !ok {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	callee := kubeapi.Callee(call.Common())
	if recv == nil || callee == nil || callee.Name() != "ResultChan" || !types.IsInterface(recv.Type()) {
		return false // a watcher of a type of its own, such as one that retries
	}
	elem, ok := ch.Type().Underlying().(*types.Chan)
	return ok && kubeapi.IsNamed(elem.Elem(), "k8s.io/apimachinery/pkg/watch", "Event")
}

// spins reports whether a loop that has received an empty event comes back to
// the receive on every path, without waiting for anything else.
func (c *loopCheck) spins(loop *loops.Loop, r receive) bool {
	again := false
	world := emptyEvent{r.event}
	replaceable := !r.fixed()
	explorer := &loops.Explorer{Loop: loop, World: world.truth, Stop: func(instr ssa.Instruction) bool {
		if instr == r.instr {
			again = true
			return true
		}
		if call, ok := instr.(*ssa.Call); ok && (returnsWatch(call) || kubeapi.IsCancel(call.Common().Value.Type()) || replaceable && c.isOwn(call)) {
			return true
		}
		_, waits := loops.WaitOf(instr)
		return waits
	}}
	var remaining []loops.Exit
	var ok bool
	if r.from != nil {
		remaining, ok = explorer.ExitsAfter(r.from, r.from.Succs[0])
	} else {
		remaining, ok = explorer.ExitsBehind(r.instr)
	}
	return ok && again && len(remaining) == 0
}

// fixed reports whether the watch is a value that nobody can replace, and no
// field or captured variable.
func (r receive) fixed() bool {
	recv, _ := kubeapi.Args(r.ch.(*ssa.Call).Common())
	switch recv := recv.(type) {
	case *ssa.UnOp, *ssa.Field, *ssa.Phi:
		return false
	case *ssa.Extract:
		_, isCall := recv.Tuple.(*ssa.Call)
		return isCall
	}
	return true
}

// isOwn reports whether a call may run code of the package.
func (c *loopCheck) isOwn(call *ssa.Call) bool {
	_, builtin := call.Common().Value.(*ssa.Builtin)
	return !builtin && (kubeapi.Callee(call.Common()) == nil || len(c.Graph.Callees(call).Funcs) > 0)
}

// returnsWatch reports whether a call makes a new watch.
func returnsWatch(call *ssa.Call) bool {
	results := call.Common().Signature().Results()
	return results.Len() > 0 && kubeapi.HasMethod(results.At(0).Type(), "ResultChan")
}

// emptyEvent is the world in which an event is the zero value.
type emptyEvent struct{ event ssa.Value }

func (w emptyEvent) truth(v ssa.Value) paths.Truth {
	switch v := v.(type) {
	case *ssa.Extract:
		// Neither is it of the type, nor is the result anything but nil.
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && w.isPart(assert.X) {
			return paths.False
		}
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ || !w.isPart(v.X) {
			break
		}
		if _, ok := v.Y.(*ssa.Const); !ok {
			break
		}
		if literals.IsEmpty(v.Y) == (v.Op == token.EQL) {
			return paths.True
		}
		return paths.False
	}
	return paths.Unknown
}

// isPart reports whether v is a field of the event.
func (w emptyEvent) isPart(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Field:
		return v.X == w.event
	case *ssa.UnOp:
		addr, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL {
			return false
		}
		cell, ok := addr.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		stores := 0
		for store := range blocks.Stores(cell) {
			if store.Val != w.event {
				return false
			}
			stores++
		}
		return stores == 1
	}
	return false
}

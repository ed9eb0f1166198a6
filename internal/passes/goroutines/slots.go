package goroutines

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// registered looks for an entry in a map of what is in progress: written
// before the goroutine starts, changed again by the goroutine itself, and
// looked up elsewhere.
func (a *analysisState) registered(fn *ssa.Function, at ssa.Instruction, inside *body) bool {
	changed := a.writtenIn(inside)
	if len(changed) == 0 {
		return false
	}
	for instr := range blocks.Instrs(fn) {
		if !putsKey(instr) || !instr.Block().Dominates(at.Block()) || !blocks.Follows(instr, at) {
			continue
		}
		before := make(map[stateKey]bool)
		a.writesOf(instr, before)
		if overlap(before, changed) {
			return true
		}
	}
	return false
}

// putsKey reports whether an instruction puts something into a map.
func putsKey(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		return true
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		return callee != nil && callee.Signature().Recv() != nil && kubeapi.IsNamed(callee.Signature().Recv().Type(), "sync", "Map")
	}
	return false
}

// slotTaken looks for a semaphore that outlives the call: taken before the
// goroutine starts, given back by it.
func (a *analysisState) slotTaken(fn *ssa.Function, at ssa.Instruction, inside *body) bool {
	for instr := range blocks.Instrs(fn) {
		taken, give := slot(instr)
		if taken == nil || !blocks.Follows(instr, at) {
			continue
		}
		key := a.stateOf(taken)
		p := a.placeOf(taken, nil)
		if _, local := p.root.(*ssa.MakeChan); key == nil && local {
			continue
		}
		for _, in := range inside.instrs {
			given, take := slot(in.instr)
			if given == nil || take == give {
				continue
			}
			if key != nil && a.stateOf(given) == key || a.placeOf(given, in.env) == p {
				return true
			}
		}
	}
	return false
}

// slot returns the channel or semaphore on which an instruction takes or gives
// a slot; sent tells the two directions apart.
func slot(instr ssa.Instruction) (v ssa.Value, sent bool) {
	switch instr := instr.(type) {
	case *ssa.Send:
		return instr.Chan, true
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return instr.X, false
		}
	case *ssa.Select:
		for _, state := range instr.States {
			if state.Dir == types.SendOnly {
				return state.Chan, true
			}
		}
	case ssa.CallInstruction:
		callee := kubeapi.Callee(instr.Common())
		if callee == nil || callee.Signature().Recv() == nil {
			return nil, false
		}
		recv, _ := kubeapi.Args(instr.Common())
		switch callee.Name() {
		case "Acquire", "TryAcquire":
			return recv, true
		case "Release":
			return recv, false
		}
	}
	return nil, false
}

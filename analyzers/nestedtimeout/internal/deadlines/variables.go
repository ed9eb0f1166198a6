package deadlines

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
)

// base returns the object that v surely is.
func (i *Deadlines) base(v ssa.Value) ssa.Value {
	for range maxTrace {
		if inner := i.calls.Returned(v); inner != nil {
			v = inner
			continue
		}
		switch x := v.(type) {
		case *ssa.FreeVar:
			bound := i.calls.Binding(x)
			if bound == nil {
				return v
			}
			v = bound
		case *ssa.UnOp:
			values := i.Variable(x)
			if len(values) != 1 {
				return v
			}
			v = values[0]
		default:
			return v
		}
	}
	return v
}

// Variable returns the values that a load of a local variable can see; none if
// v is no such load or something else may change the variable.
func (i *Deadlines) Variable(load *ssa.UnOp) []ssa.Value {
	local, at := i.local(load)
	if local == nil {
		return nil
	}
	captured := at != ssa.Instruction(load)
	var elsewhere []ssa.Value // stored by literals
	for _, ref := range *local.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
		case *ssa.Store:
			if ref.Addr != local {
				return nil
			}
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if fn, isFn := ref.Fn.(*ssa.Function); isFn && binding == local && n < len(fn.FreeVars) {
					elsewhere = append(elsewhere, calls.StoredInto(fn.FreeVars[n])...)
				}
			}
		default:
			return nil
		}
	}
	values := append(storesBefore(local, at), elsewhere...)
	if captured {
		values = append(values, storesAfter(local, at)...)
	}
	slices.SortFunc(values, func(a, b ssa.Value) int { return int(a.Pos() - b.Pos()) })
	return slices.Compact(values)
}

// local returns the variable that is loaded and the instruction of its
// function at which that happens: the load, or where the literal is made that
// has the load.
func (i *Deadlines) local(load *ssa.UnOp) (*ssa.Alloc, ssa.Instruction) {
	if load.Op != token.MUL {
		return nil, nil
	}
	at := ssa.Instruction(load)
	addr := load.X
	for range maxTrace {
		free, isFree := addr.(*ssa.FreeVar)
		if !isFree {
			break
		}
		closures := i.calls.Closures(free.Parent())
		index := slices.Index(free.Parent().FreeVars, free)
		if len(closures) != 1 || index < 0 || index >= len(closures[0].Bindings) {
			return nil, nil
		}
		at, addr = closures[0], closures[0].Bindings[index]
	}
	local, _ := addr.(*ssa.Alloc)
	return local, at
}

// setBefore reports whether the variable was set to v on every path to a load
// of it: it is not left over from the round of a loop before.
func (i *Deadlines) setBefore(load *ssa.UnOp, v ssa.Value) bool {
	local, at := i.local(load)
	if local == nil {
		return false
	}
	for store := range blocks.UsesOf[*ssa.Store](local) {
		if store.Addr != local || store.Val != v {
			continue
		}
		if blocks.Precedes(store, at) {
			return true
		}
	}
	return false
}

// storesBefore returns what the variable may hold when instr runs.
func storesBefore(local *ssa.Alloc, instr ssa.Instruction) []ssa.Value {
	var found []ssa.Value
	seen := make(map[*ssa.BasicBlock]bool)
	var before func(block *ssa.BasicBlock, end int)
	before = func(block *ssa.BasicBlock, end int) {
		for n := end - 1; n >= 0; n-- {
			switch instr := block.Instrs[n].(type) {
			case *ssa.Store:
				if instr.Addr == local {
					found = append(found, instr.Val)
					return
				}
			case *ssa.Alloc:
				if instr == local {
					return
				}
			}
		}
		for _, pred := range block.Preds {
			if !seen[pred] {
				seen[pred] = true
				before(pred, len(pred.Instrs))
			}
		}
	}
	block := instr.Block()
	before(block, slices.Index(block.Instrs, instr))
	return found
}

// storesAfter returns what is stored into the variable after instr has run.
func storesAfter(local *ssa.Alloc, instr ssa.Instruction) []ssa.Value {
	var found []ssa.Value
	seen := make(map[*ssa.BasicBlock]bool)
	var after func(block *ssa.BasicBlock, start int)
	after = func(block *ssa.BasicBlock, start int) {
		for _, instr := range block.Instrs[start:] {
			if instr == ssa.Instruction(local) {
				return // another variable from here on
			}
			if store, ok := instr.(*ssa.Store); ok && store.Addr == local {
				found = append(found, store.Val)
			}
		}
		for _, succ := range block.Succs {
			if !seen[succ] {
				seen[succ] = true
				after(succ, 0)
			}
		}
	}
	block := instr.Block()
	after(block, slices.Index(block.Instrs, instr)+1)
	return found
}

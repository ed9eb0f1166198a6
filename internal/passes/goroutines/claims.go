package goroutines

import (
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// claims returns the state that is written in the wanted blocks of fn, by what
// they call in the package, or by the goroutine.
func (a *analysisState) claims(fn *ssa.Function, wanted func(*ssa.BasicBlock) bool, inside *body) map[stateKey]bool {
	all := make(map[stateKey]bool)
	maps.Copy(all, a.writtenIn(inside))
	for _, block := range fn.Blocks {
		if wanted(block) {
			for _, instr := range block.Instrs {
				maps.Copy(all, a.writtenAt(instr))
			}
		}
	}
	return all
}

// claimsOf returns the instructions in the wanted blocks that write one of the keys.
func (a *analysisState) claimsOf(fn *ssa.Function, wanted func(*ssa.BasicBlock) bool, keys map[stateKey]bool) []ssa.Instruction {
	var found []ssa.Instruction
	for _, block := range fn.Blocks {
		if len(keys) == 0 || !wanted(block) {
			continue
		}
		for _, instr := range block.Instrs {
			if overlap(a.writtenAt(instr), keys) {
				found = append(found, instr)
			}
		}
	}
	return found
}

// overlap reports whether two sets have a key in common.
func overlap(a, b map[stateKey]bool) bool {
	for key := range a {
		if b[key] {
			return true
		}
	}
	return false
}

// writtenAt returns the state that an instruction writes, itself or by what it calls in
// the package.
func (a *analysisState) writtenAt(instr ssa.Instruction) map[stateKey]bool {
	written := make(map[stateKey]bool)
	a.writesOf(instr, written)
	if call, ok := instr.(ssa.CallInstruction); ok {
		for _, callee := range a.graph.Callees(call).Funcs {
			maps.Copy(written, a.writtenBy(callee))
		}
	}
	return written
}

// writtenBy returns the state that fn writes, itself or by what it calls.
func (a *analysisState) writtenBy(fn *ssa.Function) map[stateKey]bool {
	known, ok := a.below[fn]
	if !ok {
		known = make(map[stateKey]bool)
		a.writtenBelow(fn, known, make(map[*ssa.Function]bool), 0)
		a.below[fn] = known
	}
	return known
}

// writtenBelow adds what writtenBy returns.
func (a *analysisState) writtenBelow(fn *ssa.Function, into map[stateKey]bool, seen map[*ssa.Function]bool, depth int) {
	if seen[fn] || depth > maxLook {
		return
	}
	seen[fn] = true
	maps.Copy(into, a.writes(fn))
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		for _, callee := range a.graph.Callees(call).Funcs {
			a.writtenBelow(callee, into, seen, depth+1)
		}
	}
}

// writes returns the state that fn itself writes.
func (a *analysisState) writes(fn *ssa.Function) map[stateKey]bool {
	if known, ok := a.written[fn]; ok {
		return known
	}
	keys := make(map[stateKey]bool)
	for instr := range blocks.Instrs(fn) {
		a.writesOf(instr, keys)
	}
	a.written[fn] = keys
	return keys
}

func (a *analysisState) writesOf(instr ssa.Instruction, into map[stateKey]bool) {
	add := func(v ssa.Value) {
		if key := a.stateOf(v); key != nil {
			into[key] = true
		}
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		switch instr.Addr.(type) {
		case *ssa.FieldAddr, *ssa.Global, *ssa.IndexAddr:
			add(instr.Addr)
		case *ssa.FreeVar:
			if kept := a.keptVariable(instr.Addr); kept != nil {
				into[kept] = true
			}
		}
	case *ssa.MapUpdate:
		add(instr.Map)
	case ssa.CallInstruction:
		common := instr.Common()
		if builtin, ok := common.Value.(*ssa.Builtin); ok {
			if builtin.Name() == "delete" || builtin.Name() == "clear" {
				add(common.Args[0])
			}
			return
		}
		if len(a.graph.Callees(instr).Funcs) > 0 {
			return
		}
		callee := kubeapi.Callee(common)
		if recv, _ := kubeapi.Args(common); recv != nil && callee != nil && changesState(callee) {
			add(recv)
		}
	}
}

// changesState reports whether a method of another package puts something into
// its receiver or takes it out: set.Insert, sync.Map.Store, atomic.Bool.Store.
func changesState(callee *types.Func) bool {
	if callee.Signature().Recv() == nil || kubeapi.IsNamed(callee.Signature().Recv().Type(), "sync", "WaitGroup") {
		return false
	}
	switch callee.Name() {
	case "Store", "Insert", "Add", "Set", "Put", "Delete", "Remove", "LoadOrStore", "LoadAndDelete", "CompareAndSwap", "Swap", "Mark", "Register", "Track", "Acquire", "SetDefault":
		return !kubeapi.IsQueue(callee.Signature().Recv().Type())
	}
	return false
}

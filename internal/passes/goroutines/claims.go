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
	seen := map[*ssa.Function]bool{fn: true}
	var visit func(fn *ssa.Function, depth int)
	calls := func(block *ssa.BasicBlock, depth int) {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				for _, callee := range a.graph.Callees(call).Funcs {
					visit(callee, depth+1)
				}
			}
		}
	}
	visit = func(fn *ssa.Function, depth int) {
		if seen[fn] || depth > maxLook {
			return
		}
		seen[fn] = true
		for key := range a.writes(fn) {
			all[key] = true
		}
		for _, block := range fn.Blocks {
			calls(block, depth)
		}
	}
	for _, block := range fn.Blocks {
		if !wanted(block) {
			continue
		}
		for _, instr := range block.Instrs {
			a.writesOf(instr, all)
		}
		calls(block, 0)
	}
	maps.Copy(all, a.writtenIn(inside))
	return all
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

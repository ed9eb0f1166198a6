package periods

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handlersDrop reports whether the handlers that are seen to be added to what a call makes
// drop updates that have not changed anything.
func (i *Periods) handlersDrop(call ssa.CallInstruction) bool {
	seen, drop := false, true
	for _, made := range i.informers.Made {
		if made.Instr != call {
			continue
		}
		for _, use := range made.Uses {
			if use.Verb != kubeapi.AddHandler {
				continue
			}
			seen = true
			drop = drop && i.handlerDrops(use.Handler, 0)
		}
	}
	return seen && drop
}

// handlerDrops reports whether a handler does nothing when it is called for a
// resync.
func (i *Periods) handlerDrops(handler ssa.Value, depth int) bool {
	if handler == nil || depth > maxDepth {
		return false
	}
	v := calls.Behind(handler)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	made, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	known := false
	if s, ok := kubeapi.Deref(made.Type()).Underlying().(*types.Struct); ok {
		for n := range s.NumFields() {
			known = known || kubeapi.HandlerFieldOf(made.Type(), n) != kubeapi.NoHandlerField
		}
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		field := kubeapi.HandlerFieldOf(made.Type(), addr.Field)
		for store := range blocks.Stores(addr) {
			if field == kubeapi.UpdateFunc && !i.allDrop(i.graph.FuncsOf(store.Val), 0) ||
				field == kubeapi.FilteredHandler && !i.handlerDrops(store.Val, depth+1) {
				return false
			}
		}
	}
	return known
}

// allDrop reports whether all functions that may run do so, and are known.
func (i *Periods) allDrop(targets calls.Targets, depth int) bool {
	return targets.Closed && len(targets.Funcs) > 0 && !slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return !i.dropsUnchanged(fn, depth) })
}

// dropsUnchanged reports whether fn does nothing but look, log and keep what it is handed
// in memory unless it has compared the old object with the new one: an object that is handed
// out again is the old one.
func (i *Periods) dropsUnchanged(fn *ssa.Function, depth int) bool {
	if depth > maxDepth/2 {
		return false
	}
	var changed []*ssa.BasicBlock                             // entered if two versions differ
	comparing := make(map[*ssa.BasicBlock]map[ssa.Value]bool) // two objects, by these values
	for _, block := range fn.Blocks {
		if branch, ok := blocks.Last(block).(*ssa.If); ok {
			if next := whenChanged(branch); next != nil && len(next.Preds) == 1 {
				changed = append(changed, next)
			} else if asked, compared := parts(fn, branch.Cond); next == nil && compared {
				comparing[block] = asked
			}
		}
	}
	for _, block := range fn.Blocks {
		if within(block, changed) || asked(block, comparing) {
			continue
		}
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Send, *ssa.Select, *ssa.Go:
				return false
			case ssa.CallInstruction:
				if v := instr.Value(); i.isIdle(instr) || v != nil && comparing[block][v] {
					continue
				}
				if !i.allDrop(i.graph.Callees(instr), depth+1) {
					return false
				}
			}
		}
	}
	return true
}

// parts returns what a condition is made of, and whether two of a function's parameters of
// one type are: the old object and the new one.
func parts(fn *ssa.Function, cond ssa.Value) (made map[ssa.Value]bool, compared bool) {
	of := values.Relation{More: values.Operands}
	made = make(map[ssa.Value]bool)
	of.Any(cond, func(v ssa.Value) bool { made[v] = true; return false })
	for i, p := range fn.Params {
		for _, other := range fn.Params[i+1:] {
			compared = compared || made[p] && made[other] && types.Identical(p.Type(), other.Type())
		}
	}
	return made, compared
}

// asked reports whether every path to a block has compared the two objects before.
func asked(block *ssa.BasicBlock, comparing map[*ssa.BasicBlock]map[ssa.Value]bool) bool {
	for at := block.Idom(); at != nil; at = at.Idom() {
		if comparing[at] != nil {
			return true
		}
	}
	return false
}

// isIdle reports whether a call only logs, locks, or reads what it is called on.
func (i *Periods) isIdle(call ssa.CallInstruction) bool {
	if _, ok := call.Common().Value.(*ssa.Builtin); ok {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && (kubeapi.Logs(callee) || callee.Pkg() != nil && callee.Pkg().Path() == "sync" || (callee.Pkg() == nil || !i.graph.SameModule(callee.Pkg())) && kubeapi.OnlyReads(callee))
}

// whenChanged returns where a branch goes when two versions differ, or nil if
// it does not ask for that.
func whenChanged(branch *ssa.If) *ssa.BasicBlock {
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok || !isVersion(cmp.X) || !isVersion(cmp.Y) {
		return nil
	}
	switch cmp.Op {
	case token.EQL:
		return branch.Block().Succs[1]
	case token.NEQ:
		return branch.Block().Succs[0]
	}
	return nil
}

// isVersion recognises the resource version or the generation of an object.
func isVersion(v ssa.Value) bool {
	if call, ok := v.(*ssa.Call); ok {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && (callee.Name() == "GetResourceVersion" || callee.Name() == "GetGeneration")
	}
	field := calls.LoadedField(v)
	return field != nil && (field.Name() == "ResourceVersion" || field.Name() == "Generation") && field.Pkg() != nil && field.Pkg().Path() == "k8s.io/apimachinery/pkg/apis/meta/v1"
}

func within(block *ssa.BasicBlock, entered []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(entered, func(at *ssa.BasicBlock) bool { return at.Dominates(block) })
}

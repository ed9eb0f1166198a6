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
	if !ok || made.Referrers() == nil {
		return false
	}
	known := false
	for n := range fieldCount(made.Type()) {
		known = known || kubeapi.HandlerFieldOf(made.Type(), n) != kubeapi.NoHandlerField
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		if addr.Referrers() == nil {
			continue
		}
		field := kubeapi.HandlerFieldOf(made.Type(), addr.Field)
		for _, use := range *addr.Referrers() {
			store, ok := use.(*ssa.Store)
			switch {
			case !ok || store.Addr != ssa.Value(addr):
			case field == kubeapi.UpdateFunc && !i.funcDrops(store.Val),
				field == kubeapi.FilteredHandler && !i.handlerDrops(store.Val, depth+1):
				return false
			}
		}
	}
	return known
}

func fieldCount(t types.Type) int {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return 0
	}
	return s.NumFields()
}

func (i *Periods) funcDrops(v ssa.Value) bool {
	targets := i.graph.FuncsOf(v)
	for _, fn := range targets.Funcs {
		if !i.dropsUnchanged(fn, 0) {
			return false
		}
	}
	return targets.Closed && len(targets.Funcs) > 0
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
		if len(block.Instrs) == 0 {
			continue
		}
		if branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If); ok {
			if next := whenChanged(branch); next != nil && len(next.Preds) == 1 {
				changed = append(changed, next)
			} else if next == nil {
				asked, compared := parts(fn, branch.Cond)
				if compared {
					comparing[block] = asked
				}
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
				targets := i.graph.Callees(instr)
				for _, target := range targets.Funcs {
					if !i.dropsUnchanged(target, depth+1) {
						return false
					}
				}
				if !targets.Closed || len(targets.Funcs) == 0 {
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
	of := values.Relation{More: func(v ssa.Value) []ssa.Value {
		instr, ok := v.(ssa.Instruction)
		if !ok {
			return nil
		}
		var parts []ssa.Value
		for _, operand := range instr.Operands(nil) {
			if *operand != nil {
				parts = append(parts, *operand)
			}
		}
		return parts
	}}
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
	switch v := v.(type) {
	case *ssa.UnOp:
		addr, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL && isVersionField(calls.FieldOf(addr.X.Type(), addr.Field))
	case *ssa.Field:
		return isVersionField(calls.FieldOf(v.X.Type(), v.Field))
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		return callee != nil && (callee.Name() == "GetResourceVersion" || callee.Name() == "GetGeneration")
	}
	return false
}

func isVersionField(field *types.Var) bool {
	return field != nil && (field.Name() == "ResourceVersion" || field.Name() == "Generation") && field.Pkg() != nil && field.Pkg().Path() == "k8s.io/apimachinery/pkg/apis/meta/v1"
}

func within(block *ssa.BasicBlock, entered []*ssa.BasicBlock) bool {
	return slices.ContainsFunc(entered, func(at *ssa.BasicBlock) bool { return at.Dominates(block) })
}

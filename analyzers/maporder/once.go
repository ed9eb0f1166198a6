package maporder

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// happensOnce reports whether an instruction runs once in the life of an object: behind a
// field that is nil, or that has a certain value such as the first phase, and that is set to
// another one there.
func happensOnce(graph *calls.Graph, instr ssa.Instruction) bool {
	return graph.Everywhere(instr, func(at *calls.Site) bool {
		for addr, from := range unordered.NilAt(at.Block()) {
			if isSetBehind(addr, from, func(v ssa.Value) bool { return !calls.IsNil(v) }) {
				return true
			}
		}
		return isPassedOnce(at.Block())
	})
}

// isTakenOut reports whether the entry of the map is deleted from it wherever something is put
// together of it: the next time it is not there.
func isTakenOut(resolve *paths.Resolver, s unordered.Source) bool {
	over, ok := s.Over.(*ssa.Range)
	if !ok {
		return false
	}
	from := resolve.Place(over.X)
	for call := range blocks.InstrsOf[*ssa.Call](s.Instr.Parent()) {
		if !calls.IsBuiltin(call, "delete") {
			continue
		}
		of := resolve.Place(call.Call.Args[0])
		if of.Object == from.Object && slices.Equal(of.Sub, from.Sub) && (blocks.Precedes(call, s.Instr) || blocks.Precedes(s.Instr, call) && call.Block() == s.Instr.Block()) {
			return true
		}
	}
	return false
}

// isPassedOnce reports whether a block is reached only if a field has one of some constant
// values, and the field is set to another constant behind that.
func isPassedOnce(block *ssa.BasicBlock) bool {
	for at := block; at != nil; at = at.Idom() {
		addr, values := equalAt(at)
		if addr != nil && isSetBehind(addr, at, func(v ssa.Value) bool {
			c, ok := v.(*ssa.Const)
			return ok && c.Value != nil && !slices.ContainsFunc(values, func(known *ssa.Const) bool { return constant.Compare(known.Value, token.EQL, c.Value) })
		}) {
			return true
		}
	}
	return false
}

// equalAt returns the address that holds one of some strings where a block is entered, as
// every way into it tells; nil if there is none.
func equalAt(block *ssa.BasicBlock) (addr ssa.Value, values []*ssa.Const) {
	for _, pred := range block.Preds {
		branch, ok := blocks.Last(pred).(*ssa.If)
		if !ok || pred.Succs[0] == pred.Succs[1] {
			return nil, nil
		}
		compare, ok := branch.Cond.(*ssa.BinOp)
		if !ok || (compare.Op == token.EQL) != (pred.Succs[0] == block) || compare.Op != token.EQL && compare.Op != token.NEQ {
			return nil, nil
		}
		load, isLoad := compare.X.(*ssa.UnOp)
		known, isConst := compare.Y.(*ssa.Const)
		if !isLoad || load.Op != token.MUL || !isConst || !kubeapi.IsString(known.Type().Underlying()) || addr != nil && calls.HolderOf(addr) != calls.HolderOf(load.X) {
			return nil, nil
		}
		addr, values = load.X, append(values, known)
	}
	return addr, values
}

// isSetBehind reports whether a field of an API object is set, to such a value, in a block or
// one that it dominates: then it is another one the next time.
func isSetBehind(addr ssa.Value, block *ssa.BasicBlock, to func(ssa.Value) bool) bool {
	asked, ok := addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsAPIStruct(asked.X.Type()) || block == nil {
		return false
	}
	for store := range blocks.InstrsOf[*ssa.Store](block.Parent()) {
		if !block.Dominates(store.Block()) || !to(store.Val) {
			continue
		}
		if set, ok := store.Addr.(*ssa.FieldAddr); ok && calls.FieldOf(set.X.Type(), set.Field) == calls.FieldOf(asked.X.Type(), asked.Field) {
			return true
		}
	}
	return false
}

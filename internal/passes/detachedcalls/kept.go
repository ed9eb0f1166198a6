package detachedcalls

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// isKept reports whether a call makes what is then kept for all, where there was
// nothing yet, and cannot say that it has failed: under the context of the
// caller that happens to come first it might be kept unfinished.
func isKept(edge entrypoints.Edge) bool {
	call, ok := edge.Site.(*ssa.Call)
	if !ok || call.Common().Signature().Results().Len() != 1 || kubeapi.IsError(call.Type()) {
		return false
	}
	for store := range blocks.UsesOf[*ssa.Store](call) {
		if store.Val == ssa.Value(call) && isMissing(store.Addr, call.Block()) {
			return true
		}
	}
	return false
}

// isMissing reports whether a block is reached only if the variable or field at
// addr is nil.
func isMissing(addr ssa.Value, block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		load, isLoad := cmp.X.(*ssa.UnOp)
		if !isLoad || load.Op != token.MUL || !calls.IsNil(cmp.Y) || !samePlace(load.X, addr) {
			continue
		}
		if held && cmp.Op == token.EQL || !held && cmp.Op == token.NEQ {
			return true
		}
	}
	return false
}

// samePlace reports whether two addresses are those of one variable, or of one
// field of one value.
func samePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.FieldAddr)
	y, ok2 := b.(*ssa.FieldAddr)
	return ok && ok2 && x.X == y.X && calls.FieldOf(x.X.Type(), x.Field) == calls.FieldOf(y.X.Type(), y.Field)
}

package effect

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// IsShortcut reports whether a comparison by == only saves another one: where the two are
// not the same, a function is called with both.
func IsShortcut(op *ssa.BinOp) bool {
	for branch := range blocks.UsesOf[*ssa.If](op) {
		differ := blocks.Side(branch, op.Op == token.NEQ)
		if blocks.Any(op.Parent(), func(call ssa.CallInstruction) bool {
			return blocks.Reaches(differ, call.Block()) && isGiven(call, op.X) && isGiven(call, op.Y)
		}) {
			return true
		}
	}
	return false
}

// isGiven reports whether a call is given a value, or what it points to.
func isGiven(call ssa.CallInstruction, v ssa.Value) bool {
	v = calls.Behind(v)
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(arg ssa.Value) bool {
		arg = calls.Behind(arg)
		if arg == v {
			return true
		}
		load, ok := arg.(*ssa.UnOp)
		return ok && load.Op == token.MUL && calls.Behind(load.X) == v
	})
}

// IsOfNil reports whether a comparison is made only where one of the two is nil, as in
// "if a == nil || b == nil { return a == b }".
func IsOfNil(op *ssa.BinOp, x, y ssa.Value) bool {
	block := op.Block()
	return len(block.Preds) > 0 && !slices.ContainsFunc(block.Preds, func(pred *ssa.BasicBlock) bool {
		branch, ok := blocks.Last(pred).(*ssa.If)
		if !ok {
			return true
		}
		asked, holds := values.Asked(branch.Cond, block == pred.Succs[0])
		test, ok := asked.(*ssa.BinOp)
		if !ok || (test.Op == token.EQL) != holds || test.Op != token.EQL && test.Op != token.NEQ {
			return true
		}
		v := calls.Behind(test.X)
		return !calls.IsNil(test.Y) || v != x && v != y
	})
}

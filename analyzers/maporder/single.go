package maporder

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
)

// hasOneEntry reports whether something is put together of a map only where it was found to have one
// entry, here or by all callers: that has only one order.
//
//	if len(secret.Data) != 1 { return err }
func hasOneEntry(graph *calls.Graph, s unordered.Source) bool {
	over, ok := s.Over.(*ssa.Range)
	if !ok {
		return false
	}
	return graph.Everywhere(s.Instr, func(at *calls.Site) bool {
		for branch, held := range blocks.Decided(at.Block()) {
			asked, holds := values.Asked(branch.Cond, held)
			if test, ok := asked.(*ssa.BinOp); ok && (test.Op == token.EQL && holds || test.Op == token.NEQ && !holds) && isLengthOne(test, over.X) {
				return true
			}
		}
		return false
	})
}

// isLengthOne reports whether a comparison is of the number of entries that a map has with one.
func isLengthOne(test *ssa.BinOp, m ssa.Value) bool {
	length, ok := test.X.(*ssa.Call)
	if !ok || !calls.IsBuiltin(length, "len") {
		return false
	}
	if one, ok := test.Y.(*ssa.Const); !ok || one.Int64() != 1 {
		return false
	}
	of := length.Call.Args[0]
	return of == m || types.Identical(of.Type(), m.Type()) && fieldBehind(of) != nil && fieldBehind(of) == fieldBehind(m)
}

// fieldBehind is the field that a map is read from, or nil.
func fieldBehind(m ssa.Value) *types.Var {
	load, ok := m.(*ssa.UnOp)
	if !ok {
		return nil
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	return calls.FieldOf(addr.X.Type(), addr.Field)
}

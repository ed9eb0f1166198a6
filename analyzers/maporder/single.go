package maporder

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/maporder/internal/unordered"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// hasOneEntry reports whether something is put together of a map only where it was found to have one
// entry, here or, if it is a field of what is handed over, by all callers: that has only one order.
//
//	if len(secret.Data) != 1 { return err }
func hasOneEntry(sums *objects.Summaries, s unordered.Source) bool {
	over, ok := s.Over.(*ssa.Range)
	if !ok || isFilled(over) {
		return false
	}
	return sums.Calls.Everywhere(s.Instr, func(at *calls.Site) bool {
		for branch, held := range blocks.Decided(at.Block()) {
			asked, holds := values.Asked(branch.Cond, held)
			test, ok := asked.(*ssa.BinOp)
			if !ok || (test.Op != token.EQL || !holds) && (test.Op != token.NEQ || holds) {
				continue
			}
			if m := counted(test); m != nil && isSameMap(sums.Resolve, at, m, over.X) {
				return true
			}
		}
		return false
	})
}

// counted returns the map whose number of entries a comparison is of with one.
func counted(test *ssa.BinOp) ssa.Value {
	m := calls.LengthOf(test.X)
	if one, ok := test.Y.(*ssa.Const); m == nil || !ok || one.Int64() != 1 {
		return nil
	}
	return m
}

// isFilled reports whether the function puts something into a map that it ranges over.
func isFilled(over *ssa.Range) bool {
	return blocks.Any(over.Parent(), func(update *ssa.MapUpdate) bool {
		return update.Map == over.X || calls.LoadedField(over.X) != nil && calls.LoadedField(update.Map) == calls.LoadedField(over.X)
	})
}

// isSameMap reports whether a map that is counted at a place is one that is ranged over there, or the same field
// of what is handed over there.
func isSameMap(resolve *paths.Resolver, at *calls.Site, m, over ssa.Value) bool {
	if at.Parent() == over.Parent() {
		return m == over || calls.LoadedField(m) != nil && resolve.Place(m).Object == resolve.Place(over).Object && calls.LoadedField(m) == calls.LoadedField(over)
	}
	call, ok := at.Instruction.(ssa.CallInstruction)
	if !ok || calls.LoadedField(m) == nil || calls.LoadedField(m) != calls.LoadedField(over) {
		return false
	}
	of := resolve.Place(m).Object
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(arg ssa.Value) bool { return resolve.Place(arg).Object == of })
}

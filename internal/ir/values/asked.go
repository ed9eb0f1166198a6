package values

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Asked returns what a condition asks, behind negations, and whether that holds where the
// condition does.
func Asked(cond ssa.Value, holds bool) (question ssa.Value, answer bool) {
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			return cond, holds
		}
		cond, holds = not.X, !holds
	}
}

// NeverReaches reports whether a call hands its function a bool with which that never gets to one of its
// instructions: it stands in a branch for the other one.
func NeverReaches(call ssa.CallInstruction, at ssa.Instruction) bool {
	for branch, held := range blocks.Decided(at.Block()) {
		asked, holds := Asked(branch.Cond, held)
		p, ok := asked.(*ssa.Parameter)
		if !ok {
			continue
		}
		if arg := calls.ArgumentOf(call, p); arg != nil {
			if given, known := kubeapi.ConstBool(arg); known && given != holds {
				return true
			}
		}
	}
	return false
}

// Filled returns what is true, or holds something, where a condition does, or does not; nil if
// that is not known.
func Filled(cond ssa.Value, holds bool) ssa.Value {
	asked, is := Asked(cond, holds)
	switch asked := asked.(type) {
	case *ssa.BinOp:
		of, other := asked.X, asked.Y
		if length := calls.LengthOf(asked.Y); length != nil && asked.Op == token.LSS && is {
			return length // an index is below it
		}
		if !literals.IsZero(other) {
			return nil
		}
		if length := calls.LengthOf(of); length != nil {
			of = length
		}
		if asked.Op == token.EQL && !is || (asked.Op == token.NEQ || asked.Op == token.GTR) && is {
			return of
		}
	case *ssa.Extract:
		if next, ok := asked.Tuple.(*ssa.Next); ok && is && asked.Index == 0 {
			if over, ok := next.Iter.(*ssa.Range); ok {
				return over.X
			}
		}
	default:
		if is {
			return asked
		}
	}
	return nil
}

// IsWhereNotFound reports whether a block is reached only if an error was asked whether it says that
// something is not there, and did.
func IsWhereNotFound(block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		asked, holds := Asked(branch.Cond, held)
		if call, ok := asked.(*ssa.Call); ok && holds && kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) == kubeapi.TellsNotFound {
			return true
		}
	}
	return false
}

// IsWhereDeleting reports whether a block is reached only if an object was asked whether it is being
// deleted, and is.
func IsWhereDeleting(block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		if TellsDeleting(branch.Cond, held) {
			return true
		}
	}
	return false
}

// TellsDeleting reports whether a condition, which holds or does not, says that an object is being
// deleted.
func TellsDeleting(cond ssa.Value, holds bool) bool {
	asked, is := Asked(cond, holds)
	switch asked := asked.(type) {
	case *ssa.BinOp:
		if asked.Op != token.EQL && asked.Op != token.NEQ || (asked.Op == token.NEQ) != is {
			return false
		}
		return calls.IsNil(asked.Y) && kubeapi.IsDeletionTime(asked.X) || calls.IsNil(asked.X) && kubeapi.IsDeletionTime(asked.Y)
	case *ssa.Call:
		recv, _ := kubeapi.Args(asked.Common())
		callee := kubeapi.Callee(asked.Common())
		return !is && callee != nil && callee.Name() == "IsZero" && recv != nil && kubeapi.IsDeletionTime(recv)
	}
	return false
}

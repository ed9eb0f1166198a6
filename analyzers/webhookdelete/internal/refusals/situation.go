package refusals

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Situation returns what the questions of a function are answered if an object that
// is being deleted is updated. It is not ok if the function asks in another
// way than this understands.
func Situation(fn *ssa.Function) (answers map[ssa.Value]paths.Truth, ok bool) {
	answers = make(map[ssa.Value]paths.Truth)
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			if calls.FieldName(instr) != "DeletionTimestamp" {
				continue
			}
			for _, ref := range *instr.Referrers() {
				if load, isLoad := ref.(*ssa.UnOp); !isLoad || !asked(load, answers) {
					return nil, false
				}
			}
		case *ssa.Call:
			callee := kubeapi.Callee(instr.Common())
			switch {
			case kubeapi.IsDeletionTimestampGetter(callee):
				if !asked(instr, answers) {
					return nil, false
				}
			case kubeapi.AsksDeletion(callee):
				return nil, false
			}
		case *ssa.BinOp:
			if operation, known := kubeapi.ComparesOperation(instr); known {
				answers[instr] = paths.TruthOf((operation == "UPDATE") == (instr.Op == token.EQL)).WhenComputed()
			}
		}
	}
	return answers, true
}

// asked notes what is asked of a time of deletion that is set, and reports whether
// nothing else is done with it.
func asked(timestamp ssa.Value, answers map[ssa.Value]paths.Truth) bool {
	for _, ref := range *timestamp.Referrers() {
		switch ref := ref.(type) {
		case *ssa.BinOp:
			if ref.Op != token.EQL && ref.Op != token.NEQ || !calls.IsNil(ref.X) && !calls.IsNil(ref.Y) {
				return false
			}
			answers[ref] = paths.TruthOf(ref.Op == token.NEQ).WhenComputed()
		case *ssa.Call:
			if callee := kubeapi.Callee(ref.Common()); callee == nil || callee.Name() != "IsZero" {
				return false
			}
			answers[ref] = paths.False.WhenComputed()
		default:
			return false
		}
	}
	return true
}

// Reached reports whether a call is made in a situation.
func (w Walk) Reached(call *ssa.Call, given map[ssa.Value]paths.Truth) bool {
	unit := w.Sums.Unit(paths.Outermost(call.Parent()))
	if len(given) == 0 || unit == nil {
		return len(given) == 0
	}
	_, found := unit.Graph.Search(nil, 0, given, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n.Instr == ssa.Instruction(call) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

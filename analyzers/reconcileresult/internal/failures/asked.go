package failures

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// asked looks for an error that is asked for a kind, and not looked at if it is
// of another one: if err != nil && IsNotFound(err) { return err }. Of a read that
// counts only if the kind that was asked for is the error that is returned.
func (i *Failures) asked(u *objects.Unit, n *paths.Node, err ssa.Value, writes bool) (Silence, bool) {
	questions, uses := questionsAbout(err)
	if len(questions) == 0 {
		return Silence{}, false
	}
	if !writes && (u.Fn.Signature.Results().Len() != 1 && !returnsResult(u.Fn) || !inverted(u, n, err, questions)) {
		return Silence{}, false
	}
	if slices.ContainsFunc(uses, func(use ssa.Instruction) bool { return !underQuestion(questions, use) }) || !returnsResult(u.Fn) && i.tells(u) {
		return Silence{}, false
	}
	assume := map[ssa.Value]paths.Truth{err: paths.True}
	for _, q := range questions {
		assume[q] = paths.False.WhenComputed()
	}
	var ret *ssa.Return
	u.Graph.Search(u.Graph.Answered(n), 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if at == n || i.prints(at) || isCount(at.Instr) {
			return stage, paths.Prune
		}
		exit, ok := at.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(at) {
			return stage, paths.Continue
		}
		// After a write, an error that may be there is one of its own, or put together by a defer.
		if outcome := u.Graph.Outcome(at, known); outcome == paths.False || outcome == paths.Unknown && !writes {
			ret = exit
			return stage, paths.Found
		}
		return stage, paths.Prune
	})
	if ret == nil {
		return Silence{}, false
	}
	return Silence{Call: n.Instr.(*ssa.Call), Ret: ret, Asked: questions[0]}, true
}

// returnsResult reports whether a function returns what Reconcile does.
func returnsResult(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 2 && kubeapi.ReconcileResult(results.At(0).Type()) != nil
}

// prints reports whether a node logs something or makes an event, which may be
// about the failure.
func (i *Failures) prints(n *paths.Node) bool {
	call, ok := n.Instr.(*ssa.Call)
	return ok && n.Joins == nil && kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) == kubeapi.PrintsError
}

// questionsAbout returns the calls that ask for the kind of an error, each the
// condition of one branch, and all that uses the error otherwise.
func questionsAbout(err ssa.Value) (questions []*ssa.Call, uses []ssa.Instruction) {
	for _, ref := range *err.Referrers() {
		switch ref := ref.(type) {
		case *ssa.BinOp:
			if isCondition(ref) && calls.IsNil(ref.Y) {
				continue
			}
		case *ssa.Call:
			use := kubeapi.ErrorUseOf(kubeapi.Callee(ref.Common()))
			if (use == kubeapi.TellsNotFound || use == kubeapi.TellsErrorKind) && len(ref.Call.Args) == 1 && isCondition(ref) {
				questions = append(questions, ref)
				continue
			}
		}
		uses = append(uses, ref)
	}
	return questions, uses
}

// isCondition reports whether a value is the condition of one branch, and
// nothing else.
func isCondition(v ssa.Value) bool {
	_, ok := blocks.SoleUse(v).(*ssa.If)
	return ok
}

// underQuestion reports whether an instruction runs only if the error is of a
// kind that was asked for.
func underQuestion(questions []*ssa.Call, use ssa.Instruction) bool {
	return slices.ContainsFunc(questions, func(q *ssa.Call) bool {
		then := blocks.SoleUse(q).Block().Succs[0]
		return len(then.Preds) == 1 && then.Dominates(use.Block())
	})
}

// inverted reports whether NotFound is an error to the caller, on every path.
func inverted(u *objects.Unit, n *paths.Node, err ssa.Value, questions []*ssa.Call) bool {
	if len(questions) != 1 || kubeapi.ErrorUseOf(kubeapi.Callee(questions[0].Common())) != kubeapi.TellsNotFound {
		return false
	}
	exits, all := 0, true
	assume := map[ssa.Value]paths.Truth{err: paths.True, questions[0]: paths.True.WhenComputed()}
	u.Graph.Search(u.Graph.Answered(n), 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if at == n {
			return stage, paths.Prune
		}
		if !u.Graph.IsExit(at) {
			return stage, paths.Continue
		}
		exits++
		all = all && u.Graph.Outcome(at, known) == paths.True
		return stage, paths.Prune
	})
	return exits > 0 && all
}

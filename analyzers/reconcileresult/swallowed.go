package reconcileresult

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/failures"
	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// swallows finds writes whose failure is answered with success, and nothing
// said about it.
func (u *unit) swallows() {
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || n.Frame.Parent != nil || !u.Writes(call) {
			continue
		}
		errs := paths.Results(n, kubeapi.IsError)
		if len(errs) != 1 || !failures.IsTested(errs[0]) {
			continue
		}
		if ret := u.silentAfter(n, errs[0]); ret != nil && (u.report.Strict() || !u.failures.PrintsItself(call)) {
			u.reportSilence(failures.Silence{Call: call, Ret: ret})
		}
	}
}

// silentAfter returns the return of success that the failure of a write leads
// to, without anything between that may be said or done about it, or nil.
func (u *unit) silentAfter(at *paths.Node, err ssa.Value) *ssa.Return {
	carrier := u.results.Carrier()
	var silent *ssa.Return
	// What the Result is before the write is not known here.
	u.Graph.Search(u.Graph.Answered(at), 0, map[ssa.Value]paths.Truth{err: paths.True}, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		held := carrier.Step(n, known, paths.Held(stage))
		if carrier.Lost() || n == at || u.speaks(n) {
			return stage, paths.Prune
		}
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(n) {
			return int(held), paths.Continue
		}
		if isEmptyLiteral(ret.Results[0]) && carrier.Of(held, ret.Results[0]) == results.Empty && known.Of(ret.Results[1]) == paths.False {
			silent = ret
			return stage, paths.Found
		}
		return stage, paths.Prune
	})
	return silent
}

// isEmptyLiteral reports whether a Result is put together where it is returned,
// so that nothing set before can be in it.
func isEmptyLiteral(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.UnOp:
		alloc, ok := v.X.(*ssa.Alloc)
		return ok && alloc.Comment == "complit"
	}
	return false
}

// speaks reports whether a node may say or do something about a failure: calls
// anything at all, or stores something that is not a local variable.
func (u *unit) speaks(n *paths.Node) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Defer:
		return n.Deferred && (kubeapi.Callee(instr.Common()) == nil || paths.Literal(u.Calls, instr.Call.Value) != nil)
	case *ssa.Call:
		return true // a question, too: the kind of the error is known then
	case *ssa.BinOp:
		return kubeapi.IsLogger(instr.X.Type()) // it is said wherever there is somebody to say it to
	case *ssa.Store:
		_, local := paths.Cell(instr.Addr).(*ssa.Alloc)
		if field, ok := instr.Addr.(*ssa.FieldAddr); ok {
			return paths.Cell(field.X) == nil
		}
		return !local
	case *ssa.Go, *ssa.MapUpdate, *ssa.Send, *ssa.Panic:
		return true
	}
	return false
}

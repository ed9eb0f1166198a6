package cleanups

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// swallowed finds clean-ups in functions that are called before a removal, and
// that return success although the clean-up has failed.
func (u *unit) swallowed() {
	for n, call := range u.Graph.Calls() {
		helpers := u.Helpers(call)
		if len(helpers) == 0 || len(u.ChangesAt[n]) > 0 {
			continue
		}
		r := u.RemovalAfter(n)
		if r == nil {
			continue
		}
		for _, helper := range helpers {
			(&unit{helper}).swallows(*r, make(map[*ssa.Function]bool))
		}
	}
}

// swallows reports the clean-ups of a helper whose failure ends in success.
func (u *unit) swallows(r subject.Change, seen map[*ssa.Function]bool) {
	if len(u.Removals) > 0 || seen[u.Fn] || len(seen) > subject.MaxHelpers {
		return
	}
	seen[u.Fn] = true
	for n, call := range u.Graph.Calls() {
		if kubeapi.CanFail(call.Common().Signature()) && u.purposeOf(call) == cleansUp && u.succeedsAnyway(n, call) {
			u.reportSwallowed(n, call, r)
			continue
		}
		for _, helper := range u.Helpers(call) {
			(&unit{helper}).swallows(r, seen)
		}
	}
}

// succeedsAnyway searches a path on which a call fails, the failure has no
// consequence, and the function returns success.
func (u *unit) succeedsAnyway(at *paths.Node, call *ssa.Call) bool {
	t := fate.Follow(subject.Used(paths.Results(at, kubeapi.IsError)))
	if t.Opaque {
		return false
	}
	_, found := u.Graph.Search(u.Graph.Answered(at), 0, t.Watch(), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == at || t.Classified(known) || t.Contradicts(known) || t.Escapes(n) || u.reconsiders(t, n, nil) || asksResult(n, call) {
			return stage, paths.Prune
		}
		if u.Graph.IsExit(n) {
			if u.Graph.Outcome(n, known) == paths.False && u.saysNothing(n) {
				return stage, paths.Found
			}
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// saysNothing reports whether a return has no results beside a nil error and
// zero values: a flag, say, may tell the caller to come back.
func (u *unit) saysNothing(exit *paths.Node) bool {
	ret, ok := exit.Instr.(*ssa.Return)
	return ok && (len(ret.Results) == 0 || u.IsFinal(exit))
}

func (u *unit) reportSwallowed(n *paths.Node, call *ssa.Call, r subject.Change) {
	sure := !announces(call) && u.isSure(n, call)
	if !sure && !u.Report.Strict() {
		return
	}
	pos, _ := u.Span(n)
	u.Tell(n, rule.Finding{
		Category: subject.CleanupIgnored, Harm: u.harmIgnored(n, call, sure),
		Message: fmt.Sprintf("%s's error is swallowed and %s removes the finalizer: if it fails, %s; return it unless it is NotFound",
			subject.CalleeName(call), u.Place(r.Node.Instr.Pos(), pos), u.leaks(call, r)),
		Related: []analysis.RelatedInformation{{Pos: r.Node.Instr.Pos(), Message: "the finalizer is removed here"}},
	})
}

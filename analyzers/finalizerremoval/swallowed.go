package finalizerremoval

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// swallowed finds clean-ups in functions that are called before a removal, and
// that return success although the clean-up has failed.
func (u *unit) swallowed() {
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || len(u.at[n]) > 0 {
			continue
		}
		helpers := u.helpers(call)
		if len(helpers) == 0 {
			continue
		}
		r := u.removalAfter(n)
		if r == nil || u.liveAt(n, r.Object) || !u.deletingAt(r.Node, r.Object) {
			continue
		}
		for _, helper := range helpers {
			helper.swallows(*r, make(map[*ssa.Function]bool))
		}
	}
}

// helpers returns the declared functions of this package that a call runs.
func (u *unit) helpers(call *ssa.Call) []*unit {
	var found []*unit
	for _, fn := range u.Calls.Callees(call).Funcs {
		if fn.Parent() == nil && len(fn.Blocks) > 0 && fn != u.Fn {
			found = append(found, u.unit(fn))
		}
	}
	return found
}

// maxHelpers bounds how many functions are looked at for one removal.
const maxHelpers = 40

// swallows reports the clean-ups of a helper whose failure ends in success.
func (u *unit) swallows(r change, seen map[*ssa.Function]bool) {
	if len(u.removals) > 0 || seen[u.Fn] || len(seen) > maxHelpers {
		return
	}
	seen[u.Fn] = true
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		if canFail(call) && u.purposeOf(call) == cleansUp && u.succeedsAnyway(n, call) {
			u.reportSwallowed(n, call, r)
			continue
		}
		for _, helper := range u.helpers(call) {
			helper.swallows(r, seen)
		}
	}
}

// succeedsAnyway searches a path on which a call fails, the failure has no
// consequence, and the function returns success.
func (u *unit) succeedsAnyway(at *paths.Node, call *ssa.Call) bool {
	t := follow(used(paths.Results(at, kubeapi.IsError)))
	if t.opaque {
		return false
	}
	_, found := u.Graph.Search(u.Graph.Answered(at), 0, t.watch(), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == at || t.classified(known) || t.contradicts(known) || t.escapes(n) || u.reconsiders(t, n, nil) || asksResult(n, call) {
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
	return ok && (len(ret.Results) == 0 || u.isFinal(exit))
}

func (u *unit) reportSwallowed(n *paths.Node, call *ssa.Call, r change) {
	pos, end := u.span(n)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: cleanupIgnored, Harm: u.harmIgnored(n, call),
		Message: fmt.Sprintf("%s's error is swallowed and %s removes the finalizer: if it fails, %s; return the error",
			calleeName(call), u.place(r.Node.Instr.Pos(), pos), u.leaks(call, r)),
		Related: []analysis.RelatedInformation{{Pos: r.Node.Instr.Pos(), Message: "the finalizer is removed here"}},
	})
}

package cleanups

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// before finds removals that are stored before the clean-up is tried.
func (u *unit) before() {
	for _, r := range u.Removals {
		if !u.DeletingAt(r.Node, r.Object) {
			continue
		}
		for _, stored := range u.storesOf(r) {
			if cleanup := u.cleansUpAfter(r, stored); cleanup != nil && !u.cleansUpBefore(r) && !u.cleansUpGone(u.Fn, 0) {
				u.reportBefore(r, stored, cleanup)
				break
			}
		}
	}
}

// cleansUpGone reports whether a function, or one that leads to it, cleans up where an object is found
// to be gone: the next attempt, which finds that, makes up for this one.
func (u *unit) cleansUpGone(fn *ssa.Function, depth int) bool {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if callee := kubeapi.Callee(call.Common()); callee != nil && kubeapi.CleansUp(callee) && values.IsWhereNotFound(call.Block()) {
			return true
		}
	}
	return depth < subject.MaxChain && slices.ContainsFunc(u.Calls.Callers(fn), func(site ssa.CallInstruction) bool {
		return u.cleansUpGone(site.Parent(), depth+1)
	})
}

// storesOf returns the nodes at which a removal is stored.
func (u *unit) storesOf(r subject.Change) []*paths.Node {
	if r.Persisted || u.Stores(r.Node, r.Object) {
		return []*paths.Node{r.Node}
	}
	var found []*paths.Node
	u.Graph.Search(r.Node, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if u.Stores(n, r.Object) {
			found = append(found, n)
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// cleansUpAfter returns a clean-up of what belongs to the object whose failure is
// returned, on a path after the removal was stored, unless another finalizer
// comes off after it.
func (u *unit) cleansUpAfter(r subject.Change, stored *paths.Node) *ssa.Call {
	var cleanup *ssa.Call
	u.Graph.Search(u.Graph.Answered(stored), 0, paths.ErrorIs(stored, paths.False), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n == stored || len(u.RemovalsAt(n)) > 0 || u.another(n, stored, r) {
			return stage, paths.Prune
		}
		if call := u.cleanupAt(n); call != nil && cleanup == nil && u.belongs(call, r.Object) && u.returnsError(n, call) && !u.removesAfter(n) && !u.goesAnyway(call) {
			cleanup = call
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return cleanup
}

// cleanupAt returns the call at a node if it cleans something up.
func (u *unit) cleanupAt(n *paths.Node) *ssa.Call {
	if call := subject.Failing(n); call != nil && len(u.ChangesAt[n]) == 0 && u.purposeOf(call) == cleansUp {
		return call
	}
	return nil
}

// returnsError reports whether the failure of a call makes the function fail.
func (u *unit) returnsError(at *paths.Node, call *ssa.Call) bool {
	errs := subject.Used(paths.Results(at, kubeapi.IsError))
	if len(errs) == 0 {
		return false
	}
	t := fate.Follow(errs)
	_, found := u.Graph.Search(u.Graph.Answered(at), 0, t.Watch(), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == at || t.Classified(known) {
			return stage, paths.Prune
		}
		if ret, ok := n.Instr.(*ssa.Return); ok && u.Graph.IsExit(n) && len(ret.Results) > 0 {
			if t.Aliases[ret.Results[len(ret.Results)-1]] || u.Graph.Outcome(n, known) == paths.True {
				return stage, paths.Found
			}
		}
		return stage, paths.Continue
	})
	return found
}

// removesAfter reports whether another removal can follow a node.
func (u *unit) removesAfter(at *paths.Node) bool {
	_, found := u.Graph.Search(u.Graph.Answered(at), 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if len(u.RemovalsAt(n)) > 0 {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

// cleansUpBefore reports whether a clean-up, or anything that may be one, runs
// before the removal: then what follows it may be of less importance.
func (u *unit) cleansUpBefore(r subject.Change) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		return (u.cleanupAt(n) != nil || u.mayCleanUp(n)) && u.Graph.Reaches(n, r.Node)
	})
}

// mayCleanUp reports whether a node calls a function of another of the user's packages
// that may clean up: it gets a context, and may fail.
func (u *unit) mayCleanUp(n *paths.Node) bool {
	call := subject.Failing(n)
	if call == nil {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || callee.Pkg() == u.Pass.Pkg || !u.Calls.SameModule(callee.Pkg()) || !kubeapi.TakesContext(callee.Signature()) {
		return false
	}
	_, isClient := u.ClientOp(u.Calls.Through(call.Common()))
	return !isClient
}

func (u *unit) reportBefore(r subject.Change, stored *paths.Node, cleanup *ssa.Call) {
	u.Tell(stored, rule.Finding{
		Category: subject.BeforeCleanup,
		Message: fmt.Sprintf("if %s on line %d fails, %s: the finalizer is gone and nobody tries again; clean up first, then remove it",
			subject.CalleeName(cleanup), u.Line(cleanup.Pos()), u.leaks(cleanup, r)),
		Related: []analysis.RelatedInformation{{Pos: cleanup.Pos(), Message: "the clean-up"}},
	})
}

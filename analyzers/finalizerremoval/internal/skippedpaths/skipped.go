// Package skippedpaths finds paths on which an object is being deleted, and keeps its finalizer for good.
package skippedpaths

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds returns of success, because something that the reconcile
// depends on is not there, on a path on which the object may be being deleted
// and its finalizer stays on.
func Report(in *subject.Function) {
	u := &unit{in}
	if !isReconcile(u.Fn) || !u.answersFor(u.Fn, 0) {
		return
	}
	told := make(map[*paths.Node]bool)
	for _, r := range u.Removals {
		for n, call := range u.Graph.Calls() {
			// What a literal returns, such as a deferred one or the function of a poll, is no
			// answer to the request.
			if told[n] || u.Behind(n) || call.Parent() != u.Fn {
				continue
			}
			// Who knows that the object is being deleted may wait for what is missing.
			if !u.getsAnother(call, r) || u.DeletingAt(n, r.Object) && !u.Report.Strict() {
				continue
			}
			if exit := u.leavesWithout(r, n); exit != nil {
				told[n] = true
				u.reportPassedBy(r, n, call, exit)
			}
		}
	}
}

// getsAnother reports whether a call gets an object of another kind than the
// one that is reconciled: from a client, a lister, or by a helper.
func (u *unit) getsAnother(call *ssa.Call, r subject.Change) bool {
	common := u.Calls.Through(call.Common())
	if op, ok := u.ClientOp(common); ok {
		return op.Verb == kubeapi.Get && op.Mutate == nil && !u.mayBeOwn(op, r) && !u.isReconciled(common)
	}
	callee := kubeapi.Callee(common)
	if callee == nil || !kubeapi.ReadsCache(common) && !kubeapi.TakesContext(callee.Signature()) {
		return false
	}
	results := callee.Signature().Results()
	if results.Len() != 2 || !kubeapi.IsError(results.At(1).Type()) || !readsOnly(callee.Name()) {
		return false
	}
	kind := kubeapi.KindOf(results.At(0).Type())
	return kind != nil && r.Type != nil && kind != r.Type
}

// isReconciled reports whether a call gets what the request names: where that is gone, its own
// finalizer has been taken off, and what depended on it cleaned up.
func (u *unit) isReconciled(common *ssa.CallCommon) bool {
	return slices.ContainsFunc(u.Fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsRequest(p.Type()) && u.NamesRequest(common, p)
	})
}

// readsOnly reports whether the name of a function says that it gets
// something: others may create what is missing.
func readsOnly(name string) bool {
	word := strings.ToLower(name)
	return slices.ContainsFunc([]string{"get", "fetch", "lookup", "find", "load", "retrieve", "read"}, func(verb string) bool {
		return strings.HasPrefix(word, verb) && !strings.Contains(word, "orcreate")
	})
}

// isReconcile reports whether a function is one that is called for each
// request, or returns what such a one returns.
func isReconcile(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 2 && kubeapi.IsReconcileResult(results.At(0).Type()) && kubeapi.IsError(results.At(1).Type())
}

// answersFor reports whether those that call a function return its
// result as it is: others may take a zero one for a reason to go on.
func (u *unit) answersFor(fn *ssa.Function, depth int) bool {
	for _, call := range u.Calls.Callers(fn) {
		v, ok := call.(*ssa.Call)
		if !ok {
			return false
		}
		for _, answer := range values.Extracted(v, 0) {
			if blocks.AnyUse(answer, func(use ssa.Instruction) bool {
				_, isReturn := use.(*ssa.Return)
				return !isReturn
			}) {
				return false
			}
		}
		if depth < subject.MaxMakers && !u.answersFor(call.Parent(), depth+1) {
			return false
		}
	}
	return true
}

// mayBeOwn reports whether a Get may be of the object that is reconciled.
func (u *unit) mayBeOwn(op kubeapi.Op, r subject.Change) bool {
	if op.Object == nil {
		return op.Kind == nil || op.Kind == r.Type
	}
	place := u.Resolve.Place(op.Object)
	kind := place.Kind
	if kind == nil {
		kind = kubeapi.KindOfValue(op.Object)
	}
	return kind == nil || r.Type == nil || kind == r.Type || u.MayBe(place.Object, r.Object)
}

// leavesWithout searches a path on which a Get finds nothing, and which
// returns at once and in success although the object may be being deleted.
func (u *unit) leavesWithout(r subject.Change, get *paths.Node) *paths.Node {
	t := fate.Follow(subject.Used(paths.Results(get, kubeapi.IsError)))
	if len(t.Errs) == 0 || t.Opaque || len(t.NotFound)+len(t.Ignored) == 0 {
		return nil
	}
	tests := u.Info.Tests(u.Unit, r.Object)
	if len(tests) == 0 {
		return nil
	}
	assume := finalizers.Watch(tests)
	for v, truth := range t.Watch() {
		if truth == paths.Unknown {
			assume[v] = truth
		}
	}
	for _, err := range t.Errs {
		assume[err] = paths.Unknown
	}
	missing := resultsBeside(get)
	for v := range missing {
		assume[v] = paths.Unknown
	}
	questions := slices.Collect(u.Asks())
	for _, q := range questions {
		assume[q] = paths.Unknown
	}
	empty := u.emptied(get)
	const before, after = 0, 1
	path, found := u.Graph.Search(nil, before, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if finalizers.Known(tests, known) == finalizers.Live || t.Contradicts(known) {
			return stage, paths.Prune
		}
		if len(u.ChangesAt[n]) > 0 || slices.ContainsFunc(questions, func(q *ssa.Call) bool { return known.Of(q) == paths.False }) {
			return stage, paths.Prune // or it has no finalizer of ours
		}
		if n == get {
			return after, paths.Continue
		}
		if stage == before {
			return stage, paths.Continue
		}
		if t.Gone(known) && (isThere(missing, known) || u.asksEmpty(n, empty)) || u.acts(n) {
			return stage, paths.Prune
		}
		if u.Graph.IsExit(n) {
			if t.Gone(known) && u.IsFinal(n) && u.succeeds(t, n, known) {
				return stage, paths.Found
			}
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	if !found {
		return nil
	}
	return path[len(path)-1]
}

// asksEmpty reports whether a node asks a function of the module a question about an object that a Get has left
// empty: the code goes on with it on purpose, and what is asked has an answer that is not seen.
//
//	if err := r.Get(ctx, key, cluster); client.IgnoreNotFound(err) != nil {
//		return ctrl.Result{}, err
//	}
//	if !cluster.Uses(backup.Name) {
func (u *unit) asksEmpty(n *paths.Node, empty paths.Object) bool {
	asked, ok := n.Instr.(*ssa.Call)
	if !ok || empty.Root == nil || !kubeapi.IsBool(asked.Type()) {
		return false
	}
	callee := kubeapi.Callee(asked.Common())
	return callee != nil && u.Calls.SameModule(callee.Pkg()) && slices.ContainsFunc(kubeapi.Operands(asked.Common()), func(v ssa.Value) bool {
		place := u.Resolve.Place(v)
		return place.Object == empty && len(place.Sub) == 0
	})
}

// emptied is the object that a Get leaves empty if it finds none.
func (u *unit) emptied(get *paths.Node) paths.Object {
	if op, ok := u.ClientOp(get.Call().Common()); ok && op.Object != nil {
		return u.Resolve.Place(op.Object).Object
	}
	return paths.Object{}
}

// resultsBeside are the names of what a call returns beside its error: nil, by Go's
// convention, if that is not.
func resultsBeside(get *paths.Node) map[ssa.Value]bool {
	return values.Relation{Steps: values.Merged}.Names(paths.Results(get, kubeapi.IsPointer)...)
}

// isThere reports whether one of the values is known not to be nil.
func isThere(names map[ssa.Value]bool, known paths.Known) bool {
	for v := range names {
		if known.Of(v) == paths.True {
			return true
		}
	}
	return false
}

// succeeds reports whether a return gives no error if the error that a trail
// follows is NotFound.
func (u *unit) succeeds(t *fate.Trail, exit *paths.Node, known paths.Known) bool {
	ret, ok := exit.Instr.(*ssa.Return)
	if !ok {
		return false
	}
	last := ret.Results[len(ret.Results)-1]
	return t.Ignored[last] && known.Of(last) != paths.True && known.Of(t.Errs[0]) == paths.True || t.IsNotFound(known) && u.Graph.Outcome(exit, known) == paths.False
}

// acts reports whether a node does anything that may help, or be waited for:
// any call that takes a context, but the writes of status.
func (u *unit) acts(n *paths.Node) bool {
	call, ok := n.Instr.(ssa.CallInstruction)
	if !ok || n.Joins != nil {
		return false
	}
	if _, isDefer := call.(*ssa.Defer); isDefer && !n.Deferred {
		return false
	}
	common := call.Common()
	callee := kubeapi.Callee(common)
	if callee == nil {
		_, builtin := common.Value.(*ssa.Builtin)
		return !builtin
	}
	if u.writesStatus(n) || kubeapi.Logs(callee) || kubeapi.ErrorUseOf(callee) != kubeapi.UnknownErrorUse || kubeapi.IsHarmless(callee) {
		return false
	}
	return kubeapi.AnyIs(callee.Signature().Params(), kubeapi.IsContext) && kubeapi.CanFail(callee.Signature())
}

// writesStatus reports whether a node sends a status to the API server.
func (u *unit) writesStatus(n *paths.Node) bool {
	return slices.ContainsFunc(u.At(n), func(e objects.Event) bool {
		return e.Kind == objects.Written && e.Write.Endpoint == kubeapi.StatusEndpoint
	})
}

func (u *unit) reportPassedBy(r subject.Change, get *paths.Node, call *ssa.Call, exit *paths.Node) {
	u.Tell(get, rule.Finding{
		Category: subject.SkippedPath,
		Message: fmt.Sprintf("if %s returns NotFound, the finalizer never comes off and %s stays Terminating; check the deletion first",
			u.getName(call), u.Object(r)),
		Related: []analysis.RelatedInformation{
			{Pos: exit.Instr.Pos(), Message: "returns with the finalizer on"},
			{Pos: r.Node.Instr.Pos(), Message: "the removal that is not reached"},
		},
	})
}

// getName names a Get with what it gets.
func (u *unit) getName(call *ssa.Call) string {
	if op, ok := u.ClientOp(call.Common()); ok {
		kind := op.Kind
		if op.Object != nil {
			kind = u.Resolve.Place(op.Object).Kind
			if kind == nil {
				kind = kubeapi.KindOf(kubeapi.Unboxed(op.Object).Type())
			}
		}
		if kind != nil {
			return "Get of the " + subject.KindName(kind)
		}
	}
	return subject.CalleeName(call)
}

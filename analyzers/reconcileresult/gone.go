package reconcileresult

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// gone looks at what a Reconcile does if the object that it is about does not
// exist any more.
func (u *unit) gone() {
	request := u.request()
	if request == nil {
		return
	}
	first := u.firstGet(request)
	if first == nil {
		return
	}
	errs := paths.Results(first, kubeapi.IsError)
	if len(errs) != 1 {
		return
	}
	err := errs[0]
	q := u.questions(err)
	assume := map[ssa.Value]paths.Truth{err: paths.Unknown}
	for _, test := range q {
		assume[test] = paths.Unknown
	}
	left := u.withoutNotFound(err)
	for _, call := range left {
		assume[call] = paths.Unknown
	}
	for ret := range blocks.Returns(u.Fn) {
		assume[ret.Results[1]] = paths.Unknown // what a deferred function finds out of a named result
	}
	carrier := u.results.Carrier()
	var kept []keptKey
	harm := rule.Leak
	u.Graph.Search(nil, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		held := carrier.Step(n, known, paths.Held(stage&^read))
		next := int(held) | stage&read
		if carrier.Lost() {
			return stage, paths.Prune
		}
		if n == first {
			return next | read, paths.Continue
		}
		if stage&read == 0 {
			return next, paths.Continue
		}
		is := paths.Unknown
		for _, test := range q {
			if t := known.Of(test); t != paths.Unknown {
				is = t
			}
		}
		for _, call := range left {
			switch {
			case known.Of(call) == paths.True:
				is = paths.False // what is left is another error
			case known.Of(call) == paths.False && known.Of(err) == paths.True:
				is = paths.True
			}
		}
		if is == paths.False || known.Of(err) == paths.False || is == paths.True && tries(n) {
			return stage, paths.Prune // another error, none, or something is done about it
		}
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(n) {
			return next, paths.Continue
		}
		answer := stated(ret.Results[1])
		ignored := u.ignoresNotFound(answer, err)
		if ignored && known.Of(ret.Results[1]) == paths.True {
			return stage, paths.Prune // another error
		}
		again := carrier.Of(held, ret.Results[0]) == results.Requeues || carrier.Of(held, ret.Results[0]) == results.Meant
		if again && is == paths.Unknown && ignored {
			kept = append(kept, keptKey{ret, "a requeue"})
		}
		if is == paths.True {
			switch failed := known.Of(ret.Results[1]); {
			case failed != paths.False && !ignored && u.saysNotFound(answer, err):
				kept = append(kept, keptKey{ret, "an error"})
			case (failed == paths.False || ignored) && again:
				kept = append(kept, keptKey{ret, "a requeue"})
			case failed == paths.False || ignored:
				harm = rule.Hygiene // other keys are let go: which these are is a question of what is remembered of the object
			}
		}
		return stage, paths.Prune
	})
	for _, k := range kept {
		u.reportGone(first, k, harm)
	}
	if !u.isJudged(err) {
		u.unfiltered(first, err)
	}
}

// isRunBy reports whether all of the package's controllers that run Reconcile are of a sort, and
// there is one.
func (u *unit) isRunBy(sort func(*controllers.Local) bool) bool {
	of := slices.DeleteFunc(slices.Clone(u.controllers.Local), func(c *controllers.Local) bool { return c.ReconcileFn != u.Fn })
	return len(of) > 0 && !slices.ContainsFunc(of, func(c *controllers.Local) bool { return !sort(c) })
}

// keptKey is a return by which the key of a deleted object comes back.
type keptKey struct {
	ret  *ssa.Return
	with string
}

// request returns the parameter with the request, or nil.
func (u *unit) request() *ssa.Parameter {
	for _, p := range u.Fn.Params {
		if kubeapi.IsRequest(p.Type()) {
			return p
		}
	}
	return nil
}

// firstGet returns the first Get of the object that the request names, or nil
// if it cannot be told which that is: the key may be another object's as well,
// of the same name.
func (u *unit) firstGet(request *ssa.Parameter) *paths.Node {
	var gets []*paths.Node
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || n.Frame.Parent != nil {
			continue
		}
		op, ok := u.ClientOp(call.Common())
		if !ok || op.Verb != kubeapi.Get || op.Object == nil || op.Mutate != nil {
			continue
		}
		if u.NamesRequest(call.Common(), request) {
			gets = append(gets, n)
		}
	}
	if len(gets) == 0 || !u.isReconciled(gets[0]) || slices.ContainsFunc(gets, func(other *paths.Node) bool {
		return !gets[0].Instr.Block().Dominates(other.Instr.Block())
	}) {
		return nil
	}
	return gets[0]
}

// isReconciled reports whether a Get's object may be of the kind that the
// controller is for: For(&v1.Backup{}) names it, where the package has that.
func (u *unit) isReconciled(get *paths.Node) bool {
	op, _ := u.ClientOp(get.Call().Common())
	kind := kubeapi.KindOfValue(op.Object)
	if kind == nil {
		return true
	}
	built := u.builtFor()
	return len(built) == 0 || built[kind]
}

// builtFor returns the kinds that controllers are built for in the package; nil is one
// that is not known.
func (c *checker) builtFor() map[*types.Named]bool {
	if c.built != nil {
		return c.built
	}
	c.built = make(map[*types.Named]bool)
	for _, fn := range c.Calls.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if object := kubeapi.BuiltFor(call.Common()); object != nil {
				c.built[kubeapi.KindOfValue(object)] = true
			}
		}
	}
	return c.built
}

// read marks, in a search's stage, that the object has been read.
const read = 1 << 62

// saysNotFound reports whether an error that is returned is that of the Get, or
// one that is made for it; that of something else which was tried may be nil
// the next time.
func (c *checker) saysNotFound(v, err ssa.Value) bool {
	call, ok := results.Wrapped(v).(*ssa.Call)
	return !c.isTerminal(v) && (c.results.MayHold(v, err) || ok && kubeapi.MakesError(kubeapi.Callee(call.Common())))
}

// isTerminal reports whether an error may be one after which the key does not come back.
func (c *checker) isTerminal(v ssa.Value) bool {
	return c.results.Wrapping().Any(v, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ok && isTerminal(call)
	})
}

// stated is the error that a return statement names, where the function keeps it in a
// variable while deferred calls run.
func stated(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if last := calls.StoredLast(load, load.X); last != nil {
			return last
		}
	}
	return v
}

// ignoresNotFound reports whether v is client.IgnoreNotFound of the error.
func (c *checker) ignoresNotFound(v, err ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	return ok && kubeapi.IsFunc(kubeapi.Callee(call.Common()), clientPath, "IgnoreNotFound") && c.results.MayHold(call.Call.Args[0], err)
}

// questions returns the calls that tell whether the error is NotFound. What
// deferred functions ask, they ask when the answer has been given.
func (u *unit) questions(err ssa.Value) []*ssa.Call {
	var found []*ssa.Call
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || isDeferred(n) || len(call.Call.Args) == 0 || kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) != kubeapi.TellsNotFound {
			continue
		}
		if u.results.Holds(call.Call.Args[len(call.Call.Args)-1], err) {
			found = append(found, call)
		}
	}
	return found
}

// withoutNotFound returns the calls that make nil of an error if it is NotFound.
func (u *unit) withoutNotFound(err ssa.Value) []*ssa.Call {
	var found []*ssa.Call
	for n, call := range u.Graph.Calls() {
		if !isDeferred(n) && u.ignoresNotFound(call, err) && u.results.Holds(call.Call.Args[0], err) {
			found = append(found, call)
		}
	}
	return found
}

// isDeferred reports whether a node belongs to a deferred call.
func isDeferred(n *paths.Node) bool {
	for frame := n.Frame; frame != nil; frame = frame.Parent {
		if _, deferred := frame.Call.(*ssa.Defer); deferred {
			return true
		}
	}
	return n.Deferred
}

// tries reports whether a node does something that may fail: the object is made
// anew, or what belonged to it is cleaned up, which is worth coming back for.
func tries(n *paths.Node) bool {
	call, ok := n.Instr.(*ssa.Call)
	if !ok || n.Joins != nil {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if kubeapi.MakesError(callee) || kubeapi.ErrorUseOf(callee) != kubeapi.UnknownErrorUse {
		return false
	}
	return len(paths.Results(n, kubeapi.IsError)) > 0 || call.Common().Signature().Results().Len() > 0 && kubeapi.ReconcileResult(call.Common().Signature().Results().At(0).Type()) != nil
}

func (u *unit) reportGone(get *paths.Node, k keptKey, harm rule.Harm) {
	ret := k.ret
	stmt := u.syntax(ret.Pos())
	which := "each"
	switch {
	case u.isRunBy((*controllers.Local).HasOneKey), u.ForOneName(get.Instr.Block(), u.request()):
		which, harm = "the", rule.Hygiene // nothing adds up
	case u.isRunBy((*controllers.Local).IsDeafToDeletions):
		harm = rule.Hygiene // only what goes while its key waits comes back
	}
	f := rule.Finding{
		Pos: ret.Pos(), Category: notFoundRequeued, Harm: harm,
		Message: fmt.Sprintf("the key of %s deleted %s comes back forever: NotFound of the object itself ends in %s; return an empty Result and nil",
			which, u.kind(get), k.with),
		Related: []analysis.RelatedInformation{{Pos: get.Instr.Pos(), Message: "the object is read here"}},
	}
	if stmt != nil && len(stmt.Results) > 0 {
		f.Pos, f.End = stmt.Results[0].Pos(), stmt.Results[len(stmt.Results)-1].End()
	}
	u.report.Report(f)
}

// kind names what a Get reads.
func (u *unit) kind(get *paths.Node) string {
	op, _ := u.ClientOp(get.Call().Common())
	if kind := kubeapi.KindOfValue(op.Object); kind != nil {
		return "*" + kind.Obj().Pkg().Name() + "." + kind.Obj().Name()
	}
	return "object"
}

// isJudged reports whether anything is handed an error that may be this one, but to print
// or to wrap it: it may ask of what kind it is.
func (u *unit) isJudged(err ssa.Value) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		call, ok := n.Instr.(ssa.CallInstruction)
		if !ok || n.Joins != nil {
			return false
		}
		switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
		case kubeapi.PrintsError, kubeapi.WrapsError:
			return false
		}
		return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return kubeapi.IsError(v.Type()) && u.results.MayHold(v, err) })
	})
}

// unfiltered finds a first Get whose error nobody asks whether it is NotFound.
func (u *unit) unfiltered(get *paths.Node, err ssa.Value) {
	for _, n := range u.Graph.Nodes {
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(n) || !u.results.MayHold(ret.Results[1], err) && !u.results.Formats(ret.Results[1], err) || u.isTerminal(ret.Results[1]) {
			continue
		}
		_, returned := u.Graph.Search(u.Graph.Answered(get), 0, map[ssa.Value]paths.Truth{err: paths.True}, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			switch {
			case at == n && u.results.Failure(ret.Results[1], known) == paths.True:
				return stage, paths.Found
			case at == get:
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if !returned {
			continue
		}
		pos, end := syntax.Span(u.pass.Files, get.Call())
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: notFound,
			Message: fmt.Sprintf("the key of a deleted %s is retried forever: the error of the first Get is returned as it is; return client.IgnoreNotFound(err)", u.kind(get)),
			Related: []analysis.RelatedInformation{{Pos: ret.Pos(), Message: "the error is returned here"}},
			Fix:     u.ignoreFix(ret),
		})
		return
	}
}

// ignoreFix puts client.IgnoreNotFound around the error that is returned.
func (u *unit) ignoreFix(ret *ssa.Return) *analysis.SuggestedFix {
	stmt := u.syntax(ret.Pos())
	if stmt == nil || len(stmt.Results) != 2 {
		return nil
	}
	id, ok := stmt.Results[1].(*ast.Ident)
	if !ok {
		return nil
	}
	qualifier, ok := edit.Qualifier(u.pass, stmt.Pos(), clientPath, "IgnoreNotFound")
	if !ok {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Ignore NotFound",
		TextEdits: []analysis.TextEdit{
			{Pos: id.Pos(), End: id.Pos(), NewText: []byte(qualifier + "IgnoreNotFound(")},
			{Pos: id.End(), End: id.End(), NewText: []byte(")")},
		},
	}
}

const clientPath = "sigs.k8s.io/controller-runtime/pkg/client"

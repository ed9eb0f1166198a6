// Package cleanups finds removals of finalizers although the clean-up may have failed, or before it is tried.
package cleanups

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// purpose is what a call that can fail is for.
type purpose uint8

const (
	otherwise purpose = iota
	cleansUp          // takes something away
	looksUp           // gets something
)

// Report reports clean-ups that may have failed, or have not been tried, where a
// finalizer comes off.
func Report(in *subject.Function) {
	u := &unit{in}
	u.ignored()
	u.swallowed()
	u.before()
}

// ignored finds finalizers that are removed although a call failed that
// should have cleaned up, or found what there is to clean up.
func (u *unit) ignored() {
	for n, call := range u.Failing() {
		if len(u.ChangesAt[n]) > 0 || u.Behind(n) || !u.PrecedesRemoval(n) {
			continue
		}
		switch u.purposeOf(call) {
		case cleansUp:
			if r, _, found := u.survives(n, call); found && u.belongsToDeletion(n, r) && !announces(call) && !u.isListedLater(n, r.Object) {
				u.reportIgnored(n, call, r)
			}
		case looksUp:
			r, inBranch, found := u.survives(n, call)
			switch {
			case !found:
			case inBranch && u.DeletingAt(r.Node, r.Object):
				u.reportWrongBranch(n, call, r)
			case !inBranch && u.skipsCleanup(n, call) && !u.isListedLater(n, r.Object):
				u.reportSkipped(n, call, r)
			}
		}
	}
}

// belongsToDeletion reports whether a clean-up is done because an object is
// being deleted, as far as the function looks at that at all: what it does on
// live objects, too, it does again.
func (u *unit) belongsToDeletion(n *paths.Node, r subject.Change) bool {
	return len(u.Info.Tests(u.Unit, r.Object)) == 0 || u.DeletingAt(n, r.Object)
}

// purposeOf tells what a call is for.
func (u *unit) purposeOf(call *ssa.Call) purpose {
	common := u.Calls.Through(call.Common())
	callee := kubeapi.Callee(common)
	if callee == nil {
		return otherwise
	}
	if d, ok := u.DeletionOf(common); ok {
		return purposeIf(d.Object == nil || !u.IsReleased(d.Object), cleansUp)
	}
	if op, ok := u.ClientOp(common); ok {
		return purposeIf(op.Verb == kubeapi.Get && (op.Object == nil || !u.IsReleased(op.Object)) && op.Mutate == nil, looksUp)
	}
	if u.deletesReleased(call) {
		return otherwise
	}
	// A method DeleteBucket cleans up, also if it only sends a request.
	named := kubeapi.Callee(call.Common())
	if (kubeapi.CleansUp(callee) || kubeapi.CleansUp(named)) && !u.isLocal(call, 0) || u.retriesCleanup(callee, common) {
		return cleansUp
	}
	return purposeIf((kubeapi.TakesContext(callee.Signature()) || u.asksOthers(call, 0)) && !u.handsOver(common), looksUp)
}

// deletesReleased reports whether a call runs functions that do nothing with the API or the package but delete an object
// that they are given, and whose finalizer comes off: nothing else is cleaned up.
func (u *unit) deletesReleased(call *ssa.Call) bool {
	helpers := u.Helpers(call)
	return len(helpers) > 0 && !slices.ContainsFunc(helpers, func(helper *subject.Function) bool {
		released := false
		return len(helper.Fn.AnonFuncs) > 0 || blocks.Any(helper.Fn, func(inner ssa.CallInstruction) bool {
			d, ok := helper.DeletionOf(u.Calls.Through(inner.Common()))
			if !ok {
				callee := kubeapi.Callee(inner.Common())
				return callee != nil && kubeapi.CleansUp(callee) || len(u.Calls.Callees(inner).Funcs) > 0
			}
			if d.Object == nil || d.Many {
				return true
			}
			if param, ok := helper.Resolve.Place(d.Object).Object.Root.(*ssa.Parameter); ok {
				arg := calls.ArgumentOf(call, param)
				released = arg != nil && u.IsReleased(arg)
			}
			return !released
		}) || !released
	})
}

func purposeIf(holds bool, p purpose) purpose {
	if holds {
		return p
	}
	return otherwise
}

// asksOthers reports whether a function of this package that a call runs asks
// the API server, or anything else that may fail to answer, so that its error
// may say nothing about the object.
func (u *unit) asksOthers(call *ssa.Call, depth int) bool {
	return depth < subject.MaxChain/2 && slices.ContainsFunc(u.Helpers(call), func(helper *subject.Function) bool {
		// Recursion asks nobody.
		return subject.Remembered(u.Asking, helper.Fn, false, func() bool { return (&unit{helper}).failsByOthers(depth) })
	})
}

// isCached reports whether all that may fail in a call are reads that a cache serves, itself or
// in a function of this package that computes something from them: these find nothing, and hardly ever fail otherwise.
func (u *unit) isCached(call *ssa.Call, depth int) bool {
	if kubeapi.IsCachedRead(call.Common()) {
		return kubeapi.AsksCache(call.Common())
	}
	helpers := u.Helpers(call)
	if len(helpers) == 0 || depth >= subject.MaxChain/2 {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && (kubeapi.ErrorUseOf(callee) == kubeapi.WrapsError || kubeapi.Computes(callee))
	}
	if slices.ContainsFunc(helpers, func(helper *subject.Function) bool { return waits(helper.Fn) }) {
		return false
	}
	return !failsInside(helpers, func(u *unit, inner *ssa.Call) bool { return !u.isCached(inner, depth+1) })
}

// waits reports whether a function waits for a channel, which may be that of a context.
func waits(fn *ssa.Function) bool {
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		receive, ok := instr.(*ssa.UnOp)
		_, selects := instr.(*ssa.Select)
		return selects || ok && receive.Op == token.ARROW
	})
}

func (u *unit) failsByOthers(depth int) bool {
	return failsInside([]*subject.Function{u.Function}, func(u *unit, call *ssa.Call) bool {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && kubeapi.TakesContext(callee.Signature()) || u.asksOthers(call, depth+1)
	})
}

// isLocal reports whether a function of this package that a call runs only
// takes away what is on this machine: files, entries of maps.
func (u *unit) isLocal(call *ssa.Call, depth int) bool {
	helpers := u.Helpers(call)
	return len(helpers) > 0 && depth < subject.MaxChain && !slices.ContainsFunc(helpers, func(helper *subject.Function) bool {
		// Recursion adds nothing.
		return !subject.Remembered(u.Local, helper.Fn, true, func() bool { return (&unit{helper}).failsLocally(depth) })
	})
}

func (u *unit) failsLocally(depth int) bool {
	return !failsInside([]*subject.Function{u.Function}, func(u *unit, call *ssa.Call) bool {
		callee := kubeapi.Callee(call.Common())
		local := callee != nil && (callee.Pkg() == nil || kubeapi.IsLocal(callee.Pkg()) || kubeapi.ErrorUseOf(callee) == kubeapi.WrapsError)
		return !local && !u.isLocal(call, depth+1)
	})
}

// handsOver reports whether a call writes an object whose finalizer is
// removed: what fails then is not a look-up.
func (u *unit) handsOver(common *ssa.CallCommon) bool {
	for _, v := range kubeapi.Operands(common) {
		if !kubeapi.IsObject(v.Type()) || !u.IsReleased(v) {
			continue
		}
		o := u.Resolve.Place(v).Object
		for _, s := range u.Sites {
			if s.Node.Call() != nil && s.Node.Call().Common() == common && s.Kind == objects.Written && u.MayBe(s.Place.Object, o) {
				return true
			}
		}
	}
	return false
}

// retriesCleanup reports whether a call runs a function that cleans up, as
// retry.OnError does.
func (u *unit) retriesCleanup(callee *types.Func, common *ssa.CallCommon) bool {
	_, args := kubeapi.Args(common)
	for i, arg := range args {
		if !kubeapi.RunsInPlace(callee, i) {
			continue
		}
		for _, fn := range u.Calls.FuncsOf(arg).Funcs {
			if obj, ok := paths.Outermost(fn).Object().(*types.Func); ok && paths.Outermost(fn) != u.Fn && kubeapi.IsCleaningName(obj.Name()) {
				return true
			}
		}
	}
	return false
}

// The stages of the search: 1 + the index of the removal, or, if nothing has been
// removed yet, the negated set of the removals that would be of other objects.
const untouched = 0

// survives searches a path on which a call fails, the failure has no
// consequence, and a finalizer is removed and the removal stored.
func (u *unit) survives(at *paths.Node, call *ssa.Call) (r subject.Change, inBranch, found bool) {
	errs := paths.Results(at, kubeapi.IsError)
	t := fate.Follow(subject.Used(errs))
	if t.Opaque {
		return r, false, false
	}
	watched := t.Watch()
	var tests []finalizers.Test
	for _, r := range u.Removals {
		tests = append(tests, u.Info.Tests(u.Unit, r.Object)...)
	}
	for v, truth := range finalizers.Watch(tests) {
		if _, ok := watched[v]; !ok {
			watched[v] = truth
		}
	}
	index := untouched
	_, found = u.Graph.Search(u.Graph.Answered(at), untouched, watched, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == at {
			return stage, paths.Prune
		}
		if stage > untouched {
			switch r := u.Removals[stage-1]; {
			case u.Stores(n, r.Object):
				index = stage
				return stage, paths.Found
			case u.Graph.IsExit(n):
				if u.ParamIndex(r.Object) >= 0 && u.Graph.Outcome(n, known) == paths.False {
					index = stage
					return stage, paths.Found
				}
				return stage, paths.Prune
			}
			return stage, paths.Continue
		}
		if t.Classified(known) || t.Contradicts(known) || t.Escapes(n) || u.reconsiders(t, n, tests) || asksResult(n, call) {
			return stage, paths.Prune
		}
		stage = u.stale(stage, n, at)
		for i, r := range u.Removals {
			if r.Node != n || u.statusOf(r, known) == finalizers.Live || -stage>>min(i, maxStale)&1 != 0 {
				continue
			}
			if r.Persisted || u.Stores(n, r.Object) {
				index = i + 1
				return index, paths.Found
			}
			return i + 1, paths.Continue
		}
		return stage, paths.Continue
	})
	if !found {
		return r, false, false
	}
	r = u.Removals[index-1]
	return r, t.InBranch(r.Node), true
}

// maxStale bounds the removals that are told apart from those of other objects.
const maxStale = 60

// stale adds the removals to the set of those that are of other objects, from a
// node on, than the call at from is about.
func (u *unit) stale(stage int, n, from *paths.Node) int {
	for i, r := range u.Removals[:min(len(u.Removals), maxStale)] {
		if -stage>>i&1 == 0 && u.another(n, from, r) {
			stage -= 1 << i
		}
	}
	return stage
}

// statusOf tells what a path knows of a removal's object.
func (u *unit) statusOf(r subject.Change, known paths.Known) finalizers.Status {
	return finalizers.Known(u.Info.Tests(u.Unit, r.Object), known)
}

// reconsiders reports whether a node decides, where the error is handled, by
// something other than the error and the object's deletion: then giving up may
// be meant, as after a deadline or if an annotation says so.
func (u *unit) reconsiders(t *fate.Trail, n *paths.Node, tests []finalizers.Test) bool {
	branch, ok := n.Instr.(*ssa.If)
	return ok && t.InBranch(n) && !u.expected(t, branch.Cond, tests)
}

func (u *unit) expected(t *fate.Trail, cond ssa.Value, tests []finalizers.Test) bool {
	isKnown := func(cond ssa.Value) bool {
		return t.Aliases[cond] || t.Kinds[cond] || t.NotFound[cond] || t.Ignored[cond] || fate.IsRangeLoop(branchOf(cond)) ||
			slices.ContainsFunc(tests, func(test finalizers.Test) bool { return test.Value == cond })
	}
	conditions := values.Relation{Steps: values.Merged, Until: isKnown, More: func(v ssa.Value) []ssa.Value {
		if op, ok := v.(*ssa.UnOp); ok {
			return []ssa.Value{op.X}
		}
		return nil
	}}
	for cond := range conditions.Ends(cond) {
		if _, isConst := cond.(*ssa.Const); !isConst && !isKnown(cond) && !u.isExpected(cond) {
			return false
		}
	}
	return true
}

// isExpected reports whether a condition by itself asks for what a clean-up may depend on.
func (u *unit) isExpected(cond ssa.Value) bool {
	switch c := cond.(type) {
	case *ssa.BinOp:
		// Another error, or the timestamp.
		return kubeapi.IsError(c.X.Type()) || kubeapi.IsNamed(c.X.Type(), "k8s.io/apimachinery/pkg/apis/meta/v1", "Time")
	case *ssa.Call:
		return u.Info.AsksFor(c)
	case *ssa.Extract:
		_, isRange := c.Tuple.(*ssa.Next)
		return isRange
	}
	return false
}

// asksResult reports whether a node decides by another result of a call: a
// flag, say, that tells whether the clean-up is complete.
func asksResult(n *paths.Node, call *ssa.Call) bool {
	branch, ok := n.Instr.(*ssa.If)
	if !ok {
		return false
	}
	cond := branch.Cond
	for range 4 {
		switch c := cond.(type) {
		case *ssa.UnOp:
			cond = c.X
		case *ssa.BinOp:
			cond = c.X
		case *ssa.Extract:
			return c.Tuple == call && !kubeapi.IsError(c.Type())
		default:
			return false
		}
	}
	return false
}

// branchOf returns the block in which a condition is computed.
func branchOf(v ssa.Value) *ssa.BasicBlock {
	if instr, ok := v.(ssa.Instruction); ok && instr.Block() != nil {
		return instr.Block()
	}
	return new(ssa.BasicBlock)
}

// skipsCleanup reports whether what a look-up gets is what has to be cleaned
// up: it is deleted or written afterwards.
func (u *unit) skipsCleanup(at *paths.Node, call *ssa.Call) bool {
	op, ok := u.ClientOp(call.Common())
	if !ok || op.Object == nil {
		return false
	}
	o := u.Resolve.Place(op.Object).Object
	_, found := u.Graph.Search(u.Graph.Answered(at), 0, paths.ErrorIs(at, paths.False), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n == at {
			return stage, paths.Prune
		}
		for _, e := range u.At(n) {
			if e.Kind == objects.Written && u.MayBe(e.Place.Object, o) {
				return stage, paths.Found
			}
		}
		if n.Joins == nil && u.DeletesAt(n, func(deleted paths.Object) bool { return u.MayBe(deleted, o) }) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

func (u *unit) reportIgnored(n *paths.Node, call *ssa.Call, r subject.Change) {
	sure := u.DeletingAt(r.Node, r.Object) && u.isSure(n, call)
	if !sure && !u.Report.Strict() {
		return
	}
	message := fmt.Sprintf("%s's error is ignored and line %d removes the finalizer: if it fails, %s; return it unless it is NotFound",
		subject.CalleeName(call), u.Line(r.Node.Instr.Pos()), u.leaks(call, r))
	if _, deferred := r.Node.Frame.Call.(*ssa.Defer); deferred || r.Node.Deferred {
		message = fmt.Sprintf("the deferred removal on line %d runs also if %s fails: then %s; remove the finalizer only after success",
			u.Line(r.Node.Instr.Pos()), subject.CalleeName(call), u.leaks(call, r))
	}
	u.Tell(n, rule.Finding{
		Category: subject.CleanupIgnored, Harm: u.harmIgnored(n, call, sure), Message: message,
		Related: []analysis.RelatedInformation{{Pos: r.Node.Instr.Pos(), Message: "the finalizer is removed here"}},
	})
}

func (u *unit) reportSkipped(n *paths.Node, call *ssa.Call, r subject.Change) {
	if !u.Report.Strict() {
		return
	}
	u.Tell(n, rule.Finding{
		// A look-up fails less often than what changes something.
		Category: subject.CleanupIgnored, Harm: rule.Hygiene,
		Message: fmt.Sprintf("if %s fails, even by a timeout, its object is not cleaned up and line %d removes the finalizer; go on only if the error is NotFound",
			subject.CalleeName(call), u.Line(r.Node.Instr.Pos())),
		Related: []analysis.RelatedInformation{{Pos: r.Node.Instr.Pos(), Message: "the finalizer is removed here"}},
	})
}

func (u *unit) reportWrongBranch(n *paths.Node, call *ssa.Call, r subject.Change) {
	var harm rule.Harm // the category's
	var cause string
	if u.isCached(call, 0) {
		harm = rule.Hygiene
	} else { // that the function gives up is one decision
		cause = fmt.Sprintf("%s off %s at %s in %s", r.Name, r.Object.Root.Name(), syntax.Place(u.Pass.Fset, u.Fn.Pos()), u.Pass.Pkg.Path())
	}
	u.Tell(r.Node, rule.Finding{
		Category: subject.WrongBranch, Harm: harm, Cause: cause,
		Message: fmt.Sprintf("if %s on line %d fails, even by a timeout, the finalizer comes off without clean-up and resources leak; remove it only if the error says they are gone",
			subject.CalleeName(call), u.Line(call.Pos())),
		Related: []analysis.RelatedInformation{{Pos: call.Pos(), Message: "the call that may fail"}},
	})
}

package refusals

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Walk goes through the functions that a webhook runs.
type Walk struct {
	Sums      *objects.Summaries
	Elsewhere *Table
	Entry     *entrypoints.Entry // nil for a function that is not known to be one
	Seen      map[*ssa.Function]bool
}

// maxDepth bounds how far calls are followed.
const maxDepth = 5

// Read is where another object is read: by the call itself, or in a function of another
// package that it runs.
type Read struct {
	Call  ssa.CallInstruction
	Kind  string // of the object, empty if it is not known
	Where string // empty, or the place in the other package
}

// Refusal returns a read whose failure the function answers with an error, and
// the calls that lead to it, the innermost first.
func (w Walk) Refusal(fn *ssa.Function) (found Read, way []ssa.CallInstruction) {
	return w.refusal(fn, ofEntry(fn), 0)
}

func (w Walk) refusal(fn *ssa.Function, given arguments, depth int) (found Read, way []ssa.CallInstruction) {
	if w.isDone(fn, depth) {
		return Read{}, nil
	}
	w.Seen[fn] = true
	answers, ok := Situation(fn)
	if !ok {
		return Read{}, nil
	}
	given.answer(answers)
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if op, ok := w.Sums.ClientOp(call.Common()); ok && op.Verb == kubeapi.Get {
			if !readsNamespace(op) && !w.OnlyIfChanged(call) && w.Refuses(call) && w.Reached(call, answers) && !w.isOfInstallation(call, op.Object) {
				return Read{Call: call, Kind: kindOf(op)}, nil
			}
			continue
		}
		if fact := w.Elsewhere.Elsewhere(call); fact != nil && !w.OnlyIfChanged(call) && w.Refuses(call) && w.Reached(call, answers) && !w.isOfInstallation(call, nil) {
			return Read{call, fact.Kind, fact.Where}, nil
		}
		targets := w.Sums.Calls.Callees(call)
		if len(targets.Funcs) != 1 || w.isDone(targets.Funcs[0], depth+1) || w.OnlyIfChanged(call) {
			continue
		}
		if !w.Reached(call, answers) {
			continue // nor is what is in it
		}
		if found, way := w.refusal(targets.Funcs[0], given.handedBy(call, targets.Funcs[0]), depth+1); found.Call != nil && w.Refuses(call) {
			return found, append(way, call)
		}
	}
	return Read{}, nil
}

// isDone reports whether there is nothing to be found in a function, or nothing new.
func (w Walk) isDone(fn *ssa.Function, depth int) bool {
	return w.Seen[fn] || depth > maxDepth || len(fn.Blocks) == 0
}

// kindOf is the name of the kind that is read, empty if it is not known.
func kindOf(op kubeapi.Op) string {
	if op.Object == nil {
		return ""
	}
	if named := kubeapi.KindOfValue(op.Object); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// readsNamespace reports whether a namespace is read: mostly the one that the object is in,
// which cannot go before it.
func readsNamespace(op kubeapi.Op) bool {
	if op.Object == nil {
		return false
	}
	kind := kubeapi.KindOfValue(op.Object)
	return kind != nil && kubeapi.IsNamed(kind, "k8s.io/api/core/v1", "Namespace")
}

// OnlyIfChanged reports whether a call is made only if the old and the new
// object differ, or for what is filled in where it is missing: a stored object has that.
func (w Walk) OnlyIfChanged(call *ssa.Call) bool {
	if w.fillsIn(call) || w.endsIfEqual(call) {
		return true
	}
	for branch := range blocks.Above(call.Block()) {
		if len(w.ObjectsOf(branch.Cond)) > 1 && mayEndWithout(branch, call.Block()) {
			return true // else the call is made whatever comes of that
		}
	}
	return false
}

// endsIfEqual reports whether a call is not made where a part of the old object equals that of the new
// one, wherever the function asks that.
//
//	if old != nil && old.Spec.Class == obj.Spec.Class { return nil }
func (w Walk) endsIfEqual(call *ssa.Call) bool {
	return blocks.Any(call.Parent(), func(branch *ssa.If) bool {
		question, holds := values.Asked(branch.Cond, true)
		var a, b ssa.Value
		switch question := question.(type) {
		case *ssa.BinOp:
			if question.Op != token.EQL && question.Op != token.NEQ {
				return false
			}
			a, b, holds = question.X, question.Y, holds == (question.Op == token.EQL)
		case *ssa.Call:
			var ok bool
			if a, b, ok = kubeapi.Compared(question.Common()); !ok {
				return false
			}
		default:
			return false
		}
		return w.areOfTwo(a, b) && blocks.Reaches(branch.Block(), call.Block()) &&
			!blocks.LeadAround([]*ssa.BasicBlock{blocks.Side(branch, holds)}, call.Block(), branch.Block())
	})
}

// areOfTwo reports whether two values are of different objects.
func (w Walk) areOfTwo(a, b ssa.Value) bool {
	ofA, ofB := w.ObjectsOf(a), w.ObjectsOf(b)
	return len(ofA) == 1 && len(ofB) == 1 && ofA[0] != ofB[0]
}

// ObjectsOf are the old or the new object, as far as values are made of them.
func (w Walk) ObjectsOf(made ...ssa.Value) []ssa.Value {
	from := make(map[ssa.Value]bool)
	for _, v := range made {
		sourcesOf(v, from, make(map[ssa.Value]bool))
	}
	var found []ssa.Value
	for v := range from {
		if w.isObject(v) {
			found = append(found, v)
		}
	}
	return found
}

// fillsIn reports whether a call is made only where a field of the object is empty, which the function
// that makes it sets.
//
//	if obj.Spec.Class == "" { obj.Spec.Class = r.defaultClass(ctx) }
func (w Walk) fillsIn(call *ssa.Call) bool {
	for branch, held := range blocks.Decided(call.Block()) {
		op, ok := branch.Cond.(*ssa.BinOp)
		if !ok || (op.Op == token.EQL) != held || op.Op != token.EQL && op.Op != token.NEQ || !literals.IsZero(op.Y) {
			continue
		}
		empty := w.Sums.Resolve.Place(op.X)
		if blocks.Any(call.Parent(), func(store *ssa.Store) bool {
			set := w.Sums.Resolve.Place(store.Addr)
			return len(set.Sub) > 0 && set.Object == empty.Object && slices.Equal(set.Sub, empty.Sub) && !literals.IsZero(store.Val)
		}) {
			return true
		}
	}
	return false
}

// mayEndWithout reports whether a function may end after a branch without coming to a
// block, and without a refusal: who refuses changes goes on with what has not changed.
func mayEndWithout(branch *ssa.If, block *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{block: true}
	work := slices.Clone(branch.Block().Succs)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] {
			continue
		}
		if seen[at] = true; len(at.Succs) == 0 && !endsInRefusal(at) {
			return true
		}
		work = append(work, at.Succs...)
	}
	return false
}

// endsInRefusal reports whether a block returns an error, or an answer that refuses.
func endsInRefusal(block *ssa.BasicBlock) bool {
	ret, ok := blocks.Last(block).(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	last := ret.Results[len(ret.Results)-1]
	if kubeapi.IsError(last.Type()) && !calls.IsNil(last) && calls.AfterFailure(ret) {
		return true
	}
	call, _ := calls.CallOf(last)
	return call != nil && (kubeapi.MakesError(kubeapi.Callee(call.Common())) || kubeapi.Refuses(call.Common()))
}

// isObject reports whether a value may be the old or the new object. Handlers of
// bare requests decode them into variables.
func (w Walk) isObject(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		return !kubeapi.IsContext(v.Type()) && !kubeapi.HasClient(v.Type()) && !kubeapi.IsAdmissionRequest(v.Type()) && (!calls.IsReceiver(v) || kubeapi.IsObject(v.Type()))
	case *ssa.Alloc:
		return w.Entry != nil && w.Entry.What == "Handle" && (kubeapi.IsObject(v.Type()) || kubeapi.IsUnstructured(v.Type()))
	}
	return false
}

// sourcesOf collects the parameters and variables that a value is made of.
func sourcesOf(v ssa.Value, found, seen map[ssa.Value]bool) {
	if seen[v] || len(seen) > 500 {
		return
	}
	seen[v] = true
	if p, ok := v.(*ssa.Parameter); ok {
		found[p] = true
		return
	}
	if alloc, ok := v.(*ssa.Alloc); ok {
		stored := slices.DeleteFunc(calls.StoredInto(alloc), literals.IsZero)
		if len(stored) == 0 {
			found[alloc] = true // what is decoded into it
		}
		for _, value := range stored {
			sourcesOf(value, found, seen)
		}
		return
	}
	for _, operand := range values.Operands(v) {
		sourcesOf(operand, found, seen)
	}
}

// Refuses reports whether a function fails if what a call looks for is not
// there.
func (w Walk) Refuses(call *ssa.Call) bool {
	unit := w.Sums.Unit(paths.Outermost(call.Parent()))
	if unit == nil {
		return false
	}
	for _, start := range unit.Graph.At(call) {
		assume := make(map[ssa.Value]paths.Truth)
		for _, err := range paths.Results(start, isOneError) {
			assume[err] = paths.True
			for _, told := range testsOf(err) {
				// client.IgnoreNotFound answers nil.
				assume[told] = paths.TruthOf(!kubeapi.IsError(told.Type())).WhenComputed()
			}
		}
		if len(assume) == 0 && !kubeapi.IsErrorList(call.Type()) && !kubeapi.IsAdmissionResponse(call.Type()) {
			return false
		}
		listed := len(assume) == 0
		others := otherErrors(call)
		for _, err := range others {
			assume[err] = paths.Unknown // to be told what they are
		}
		_, found := unit.Graph.Search(unit.Graph.Answered(start), 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if slices.ContainsFunc(others, func(err ssa.Value) bool { return known.Of(err) == paths.True }) {
				return stage, paths.Prune // something else has failed, after what is not there was passed over
			}
			if !unit.Graph.IsExit(n) {
				return stage, paths.Continue
			}
			if fails(unit.Graph, n, known, call, listed) {
				return stage, paths.Found
			}
			return stage, paths.Prune
		})
		if found {
			return true
		}
	}
	return false
}

// otherErrors returns the errors of the calls that come after another one and are not about its
// error.
func otherErrors(call *ssa.Call) []ssa.Value {
	var found []ssa.Value
	for other := range blocks.InstrsOf[*ssa.Call](call.Parent()) {
		if !blocks.Follows(call, other) || kubeapi.MakesError(kubeapi.Callee(other.Common())) ||
			slices.ContainsFunc(other.Common().Args, func(arg ssa.Value) bool { return kubeapi.IsError(arg.Type()) }) {
			continue
		}
		for _, result := range calls.AllResults(other) {
			if kubeapi.IsError(result.Type()) {
				found = append(found, result)
			}
		}
	}
	return found
}

// fails reports whether a function ends with an error, with a list of errors
// that may have one, or with an answer that refuses. Whether a list of errors that
// was returned to it becomes an error (listed) cannot be told for certain.
func fails(graph *paths.Graph, exit *paths.Node, known paths.Known, failed *ssa.Call, listed bool) bool {
	ret, ok := exit.Instr.(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	last := ret.Results[len(ret.Results)-1]
	if isFieldError(last.Type()) {
		c, isConst := last.(*ssa.Const)
		return !isConst || c.Value != nil
	}
	if kubeapi.IsAdmissionResponse(last.Type()) {
		return isRefusal(last, failed)
	}
	outcome := graph.Outcome(exit, known)
	return outcome == paths.True || listed && outcome == paths.Unknown
}

// isRefusal reports whether an answer refuses, or is that of a call which did.
func isRefusal(answer ssa.Value, failed *ssa.Call) bool {
	switch answer := answer.(type) {
	case *ssa.Call:
		return answer == failed || kubeapi.Refuses(answer.Common()) && !isAboutAnother(answer, failed)
	case *ssa.Phi:
		return slices.Contains(answer.Edges, ssa.Value(failed))
	case *ssa.UnOp:
		cell, ok := answer.X.(*ssa.Alloc)
		return ok && slices.Contains(calls.StoredInto(cell), ssa.Value(failed))
	}
	return false
}

// isAboutAnother reports whether an answer has the error of another call, after that of
// the failed one was only logged.
func isAboutAnother(answer, failed *ssa.Call) bool {
	return slices.ContainsFunc(answer.Common().Args, func(arg ssa.Value) bool {
		extract, ok := arg.(*ssa.Extract)
		return ok && kubeapi.IsError(arg.Type()) && extract.Tuple != ssa.Value(failed)
	})
}

// testsOf returns the calls that ask whether an error says that something is not
// there, or make nothing of such an error.
func testsOf(err ssa.Value) []ssa.Value {
	var found []ssa.Value
	for call := range blocks.UsesOf[*ssa.Call](err) {
		if callee := kubeapi.Callee(call.Common()); kubeapi.ErrorUseOf(callee) == kubeapi.TellsNotFound || kubeapi.ErrorUseOf(callee) == kubeapi.IgnoresErrorKind && strings.Contains(callee.Name(), "NotFound") {
			found = append(found, call)
		}
	}
	return found
}

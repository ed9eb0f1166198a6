// Package goneobjects finds clean-ups that fail forever if what they delete is gone already.
package goneobjects

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds clean-ups before a removal that fail forever if what they
// delete is gone.
func Report(in *subject.Function) {
	u := &unit{in}
	for n, call := range u.Failing() {
		if len(u.ChangesAt[n]) > 0 || u.Behind(n) || !u.mayGetStuck(call) {
			continue
		}
		if r := u.RemovalAfter(n); r != nil {
			u.stuckAt(n, call, *r, nil, make(map[*ssa.Function]bool))
		}
	}
}

// mayGetStuck reports whether a call deletes or reads an object, or is one of a
// helper that may.
func (u *unit) mayGetStuck(call *ssa.Call) bool {
	if _, ok := u.DeletionOf(call.Common()); ok {
		return true
	}
	if op, ok := u.ClientOp(call.Common()); ok {
		return op.Verb == kubeapi.Get
	}
	return len(u.Helpers(call)) > 0
}

// stuckAt judges a call in a clean-up, or those in the helper that it calls.
// chain has the calls that led here.
func (u *unit) stuckAt(n *paths.Node, call *ssa.Call, r subject.Change, chain []*ssa.Call, seen map[*ssa.Function]bool) {
	if !u.passesNotFound(n, len(chain) == 0) {
		return
	}
	way := append(chain[:len(chain):len(chain)], call)
	common := call.Common()
	if d, ok := u.DeletionOf(common); ok && u.judgedHere(call, d.Object) {
		if !d.Many && !u.isThere(d, n) && (d.Object == nil || !u.IsReleased(d.Object)) {
			u.reportStuck(n, way, r)
		}
		return
	}
	if op, ok := u.ClientOp(common); ok && u.judgedHere(call, op.Object) {
		if op.Verb == kubeapi.Get && op.Mutate == nil && u.Report.Strict() && !u.foundFirst(way, op) {
			u.reportStuck(n, way, r)
		}
		return
	}
	if len(chain) >= subject.MaxChain {
		return
	}
	for _, inner := range u.Helpers(call) {
		if seen[inner.Fn] || len(seen) > subject.MaxHelpers {
			continue
		}
		seen[inner.Fn] = true
		for n, next := range inner.Failing() {
			if len(inner.ChangesAt[n]) == 0 && !inner.StuckReported[next] {
				(&unit{inner}).stuckAt(n, next, r, way, seen)
			}
		}
	}
}

// judgedHere reports whether what a call does to an object is judged where it
// stands: it does so itself, or hands the object to a helper that does nothing else,
// or to one that is not seen.
func (u *unit) judgedHere(call *ssa.Call, object ssa.Value) bool {
	return len(u.Helpers(call)) == 0 || object != nil && object.Parent() == call.Parent()
}

// passesNotFound reports whether a NotFound error of a call makes the function
// fail, because nobody asks whether it is one. In the function that has the
// removal, it is enough that the finalizer stays on: it may be kept in a list.
func (u *unit) passesNotFound(at *paths.Node, outermost bool) bool {
	errs := subject.Used(paths.Results(at, kubeapi.IsError))
	if len(errs) == 0 {
		return false
	}
	t := fate.Follow(errs)
	if t.Opaque || len(t.NotFound) > 0 || len(t.Ignored) > 0 || len(t.Kinds) > 0 {
		return false
	}
	returned, removed := false, false
	u.Graph.Search(u.Graph.Answered(at), 0, t.Watch(), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n == at {
			return stage, paths.Prune
		}
		if ret, ok := n.Instr.(*ssa.Return); ok && u.Graph.IsExit(n) && len(ret.Results) > 0 {
			last := ret.Results[len(ret.Results)-1]
			switch {
			case t.Aliases[last]:
				returned = true
			case kubeapi.IsError(last.Type()) && u.Graph.Outcome(n, known) == paths.True:
				// Another error in its place, such as one of the project's own.
				if made, ok := last.(*ssa.Call); ok && !t.GivenTo(made) {
					removed = true
				} else {
					returned = true
				}
			}
			return stage, paths.Prune
		}
		if outermost && t.InBranch(n) && keepsElement(n) {
			returned = true
			return stage, paths.Prune
		}
		if outermost && len(u.RemovalsAt(n)) > 0 {
			removed = true
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return returned && !removed
}

// keepsElement reports whether a node appends a string to a list: a finalizer
// that is kept.
func keepsElement(n *paths.Node) bool {
	call, ok := n.Instr.(*ssa.Call)
	return ok && calls.IsBuiltin(call, "append") && kubeapi.IsStrings(call.Type())
}

// isThere reports whether what is deleted has been read or listed before, so
// that it is gone only if somebody else was faster: the next try will not find
// it.
func (u *unit) isThere(d kubeapi.Deletion, at *paths.Node) bool {
	if d.Object == nil {
		return u.readsBefore(at)
	}
	return u.wasThere(d.Object, 0)
}

// wasThere reports whether an object, or what it is a copy of, was read or is the caller's.
func (u *unit) wasThere(v ssa.Value, depth int) bool {
	o := u.Resolve.Place(v).Object
	if _, ok := o.Root.(*ssa.Parameter); ok {
		return true // the caller has it
	}
	for _, root := range u.Resolve.Roots(o) {
		if slices.ContainsFunc(u.Sites, func(s objects.Site) bool { return s.Kind == objects.Refreshed && s.Place.Object.Root == root.Root }) {
			return true
		}
		switch v := root.Root.(type) {
		case *ssa.Alloc:
			if v.Comment != "complit" && v.Comment != "new" && u.IsRead(root) {
				return true
			}
		case *ssa.Call, *ssa.Extract:
			if read := u.DeepCopied(v); read != nil && depth < subject.MaxChain {
				return u.wasThere(read, depth+1)
			}
			if !isConstructor(v) {
				return true
			}
		case *ssa.Parameter, *ssa.UnOp, *ssa.FreeVar:
			return true
		}
	}
	return false
}

// isConstructor reports whether v is made by a call that has nothing to read
// objects with.
func isConstructor(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	return ok && !subject.CanAsk(call)
}

// readsBefore reports whether anything is read or listed before a deletion by
// name.
func (u *unit) readsBefore(at *paths.Node) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		call := n.Call()
		if call == nil || n == at || n.Joins != nil {
			return false
		}
		op, isClient := u.ClientOp(call.Common())
		callee := kubeapi.Callee(call.Common())
		reads := isClient && op.Verb.Reads() || callee != nil && (callee.Name() == "List" || callee.Name() == "Get")
		if !reads {
			return false
		}
		_, found := u.Graph.Search(n, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n == at {
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		return found
	})
}

// foundFirst reports whether the calls that lead to a Get are only made where a helper has
// found an object of the kind: the next try will not find it, and go on.
func (u *unit) foundFirst(way []*ssa.Call, op kubeapi.Op) bool {
	for _, call := range way {
		for branch, held := range blocks.Decided(call.Block()) {
			if asked, ok := branch.Cond.(*ssa.Call); ok && held && slices.ContainsFunc(u.Helpers(asked), func(helper *subject.Function) bool { return gets(helper, op) }) {
				return true
			}
		}
	}
	return false
}

// gets reports whether a function gets an object of the kind that another Get is of.
func gets(helper *subject.Function, other kubeapi.Op) bool {
	return blocks.Any(helper.Fn, func(get *ssa.Call) bool {
		op, ok := helper.ClientOp(get.Common())
		return ok && op.Verb == kubeapi.Get && kubeapi.KindBehind(op.Object) == kubeapi.KindBehind(other.Object)
	})
}

func (u *unit) reportStuck(n *paths.Node, way []*ssa.Call, r subject.Change) {
	call := way[len(way)-1]
	if u.StuckReported[call] || !u.Report.Strict() && !u.isSure(way) {
		return
	}
	u.StuckReported[call] = true
	u.Tell(n, rule.Finding{
		Category: subject.NotFoundStuck,
		Message: fmt.Sprintf("if %s returns NotFound, the finalizer never comes off and %s stays Terminating; use client.IgnoreNotFound",
			subject.CalleeName(call), u.Object(r)),
		Related: []analysis.RelatedInformation{{Pos: r.Node.Instr.Pos(), Message: "the removal that is not reached"}},
		Fix:     u.ignoreFix(n, call),
	})
}

// ignoreFix puts client.IgnoreNotFound around a deletion.
func (u *unit) ignoreFix(n *paths.Node, call *ssa.Call) *analysis.SuggestedFix {
	if _, ok := u.DeletionOf(call.Common()); !ok {
		return nil
	}
	expr, _ := u.Syntax(n)
	if expr == nil {
		return nil
	}
	qualifier, ok := edit.Qualifier(u.Pass, expr.Pos(), "sigs.k8s.io/controller-runtime/pkg/client", "IgnoreNotFound")
	if !ok {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Take NotFound for done",
		TextEdits: []analysis.TextEdit{
			{Pos: expr.Pos(), End: expr.Pos(), NewText: []byte(qualifier + "IgnoreNotFound(")},
			{Pos: expr.End(), End: expr.End(), NewText: []byte(")")},
		},
	}
}

// Package unpersisted finds finalizers that are taken off in memory, and stay on the object.
package unpersisted

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// Report finds removals that stay in memory on a path to a successful
// return.
func Report(in *subject.Function) {
	u := &unit{in}
	for _, r := range u.Removals {
		if r.Persisted || !u.couldPersist() || u.leftToHelper(r) || u.handsOut(r) || u.Info.PatchesByName(u.Unit, r.Type) {
			continue
		}
		if r.Kind == finalizers.Emptied && !u.DeletingAt(r.Node, r.Object) {
			continue // perhaps a template, or an object to compare with
		}
		if u.Info.RefillsInPlace(r.Node.Instr) || u.never(r) || !u.Report.Strict() || !u.isOurs(r) {
			continue // on some path only: of those found in operators, it was stored each time, out of sight
		}
		exit, status, lost := u.losesRemoval(r)
		if !lost || u.storedByCaller(r.Object, u.DeletingAt(r.Node, r.Object), 0) {
			continue
		}
		u.reportUnpersisted(r, exit, status)
	}
}

// couldPersist reports whether the function has anything to write objects
// with: a helper that only edits the list leaves that to its caller.
func (u *unit) couldPersist() bool {
	return slices.ContainsFunc(u.Fn.Params, func(p *ssa.Parameter) bool { return subject.ReachesClient(p.Type()) }) ||
		slices.ContainsFunc(u.Fn.FreeVars, func(v *ssa.FreeVar) bool {
			return subject.ReachesClient(v.Type()) || subject.ReachesClient(kubeapi.Deref(v.Type()))
		})
}

// handsOut reports whether a removal is part of making metadata that a function returns by itself:
// a view of the object, which hides the finalizer from whoever gets it.
func (u *unit) handsOut(r subject.Change) bool {
	return returnsMetadata(u.Fn.Signature) || r.Node.Call() != nil && returnsMetadata(r.Node.Call().Common().Signature())
}

func returnsMetadata(sig *types.Signature) bool {
	return kubeapi.AnyIs(sig.Results(), kubeapi.IsObjectMeta)
}

// leftToHelper reports whether the helper of this package that removes the
// finalizer is looked at by itself, with all its callers.
func (u *unit) leftToHelper(r subject.Change) bool {
	call := r.Node.Call()
	if call == nil {
		return false
	}
	return slices.ContainsFunc(u.Calls.Callees(call).Funcs, func(fn *ssa.Function) bool {
		return fn.Parent() == nil && (&unit{u.Of(fn)}).couldPersist() && !isForOthers(fn)
	})
}

// isForOthers reports whether other packages may call a function.
func isForOthers(fn *ssa.Function) bool {
	return fn.Object() != nil && fn.Object().Exported() && fn.Signature.Recv() == nil
}

// isOurs reports whether the object of a removal came from the API server, or
// from the caller, and goes nowhere that cannot be followed.
func (u *unit) isOurs(r subject.Change) bool {
	o := r.Object
	for _, s := range u.Sites {
		if isHandedOff(s.Event) && (s.Place.Object.Root == o.Root || u.MayBe(s.Place.Object, o) || s.Place.Object.LeadsTo(o)) {
			if _, isGo := s.Node.Instr.(*ssa.Go); !isGo && u.Graph.Reaches(s.Node, r.Node) {
				return false
			}
		}
	}
	for _, n := range u.Graph.Nodes {
		if ret, ok := n.Instr.(*ssa.Return); ok {
			for _, v := range ret.Results {
				if p := u.Resolve.Place(v); p.Object.Root == o.Root || u.MayBe(p.Object, o) {
					return false
				}
			}
		}
	}
	if call, _ := calls.CallOf(o.Root); call != nil {
		return u.isWrittenAnywhere(o) || u.gets(call)
	}
	switch o.Root.(type) {
	case *ssa.Parameter:
		return o.Path == ""
	case *ssa.Alloc:
		return u.IsRead(o)
	case *ssa.Phi:
		return u.isWrittenAnywhere(o)
	}
	return false
}

// isHandedOff reports whether an object goes out of sight: a string or number
// read from it that an interface holds does not take it along.
func isHandedOff(e objects.Event) bool {
	if e.Kind != objects.HandedOff {
		return false
	}
	if boxed, ok := e.Arg.(*ssa.MakeInterface); ok {
		_, isBasic := boxed.X.Type().Underlying().(*types.Basic)
		return !isBasic
	}
	return true
}

func (u *unit) gets(call ssa.CallInstruction) bool {
	op, ok := u.ClientOp(call.Common())
	return ok && op.Verb == kubeapi.Get && op.Mutate == nil
}

func (u *unit) isWrittenAnywhere(o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool { return s.Kind == objects.Written && u.MayBe(s.Place.Object, o) })
}

// losesRemoval searches a path from a removal to a successful return on which
// the object is not stored. status is a status write on the way, if there is
// one.
func (u *unit) losesRemoval(r subject.Change) (exit *paths.Node, status *paths.Node, lost bool) {
	tests := u.Info.Tests(u.Unit, r.Object)
	assume := finalizers.Watch(tests)
	maps.Copy(assume, u.Changed(u.Unit, r.Node, finalizers.ListOf(r.Object)))
	maps.Copy(assume, paths.ErrorIs(r.Node, paths.False))
	pass := func(at objects.Here) paths.Step {
		if finalizers.Known(tests, at.Known) == finalizers.Live || u.Info.CarriesOn(u.Unit, at.Node, r.Object, r.Type) {
			return paths.Prune
		}
		for _, other := range u.RemovalsAt(at.Node) {
			if at.MayBe(other.Object) {
				return paths.Prune // that one is looked at by itself
			}
		}
		if at.Node.Joins == nil && u.DeletesAt(at.Node, at.MayBe) {
			return paths.Prune
		}
		if u.Graph.IsExit(at.Node) {
			outcome := u.Graph.Outcome(at.Node, at.Known)
			if outcome == paths.False || outcome == paths.Unknown && u.returnsStatusWrite(at.Node, r) {
				return paths.Found
			}
			return paths.Prune
		}
		return paths.Continue
	}
	path, lost := u.Follow(u.Unit, u.Graph.Answered(r.Node), r.Object, assume, pass, func(s objects.Seen) paths.Step {
		if isHandedOff(s.Event) || s.Kind == objects.Refreshed || s.WrittenTo(kubeapi.MainEndpoint) {
			return paths.Prune
		}
		return paths.Continue
	})
	if !lost {
		return nil, nil, false
	}
	for _, n := range path {
		for _, e := range u.At(n) {
			if e.Kind == objects.Written && e.Write.Endpoint == kubeapi.StatusEndpoint && u.MayBe(e.Place.Object, r.Object) && status == nil {
				status = n
			}
		}
	}
	return path[len(path)-1], status, true
}

// returnsStatusWrite reports whether what a return gives as its error is that
// of a status write of the object.
func (u *unit) returnsStatusWrite(exit *paths.Node, r subject.Change) bool {
	ret, ok := exit.Instr.(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if extract, ok := err.(*ssa.Extract); ok {
		err = extract.Tuple
	}
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		wrote, ok := s.Node.Instr.(ssa.Value)
		return ok && s.Kind == objects.Written && s.Write.Endpoint == kubeapi.StatusEndpoint && wrote == err && u.MayBe(s.Place.Object, r.Object)
	})
}

// storedByCaller reports whether an object that this function got as a
// parameter may be stored by whoever called it. If it is deleting, what callers
// do with live objects does not count.
func (u *unit) storedByCaller(o paths.Object, deleting bool, depth int) bool {
	if _, isParam := o.Root.(*ssa.Parameter); !isParam {
		return false
	}
	index := u.ParamIndex(o)
	callers := u.Calls.Callers(u.Fn)
	if index < 0 || len(callers) == 0 || depth >= subject.MaxCallers || isForOthers(u.Fn) {
		return true
	}
	return slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
		operands := kubeapi.Operands(call.Common())
		if index >= len(operands) {
			return true
		}
		if _, isGo := call.(*ssa.Go); isGo {
			return false
		}
		caller := &unit{u.Of(paths.Outermost(call.Parent()))}
		place := u.Resolve.Place(operands[index])
		return caller.storesAfter(call, place.Object, deleting) || caller.storedByCaller(place.Object, deleting, depth+1)
	})
}

// storesAfter reports whether an object may be stored, or goes out of sight,
// after a call.
func (u *unit) storesAfter(call ssa.CallInstruction, o paths.Object, deleting bool) bool {
	nodes := u.Graph.At(call)
	if len(nodes) == 0 {
		return true
	}
	var tests []finalizers.Test
	if deleting {
		tests = u.Info.Tests(u.Unit, o)
	}
	return slices.ContainsFunc(nodes, func(n *paths.Node) bool {
		assume := finalizers.Watch(tests)
		maps.Copy(assume, paths.ErrorIs(n, paths.False))
		_, found := u.Follow(u.Unit, u.Graph.Answered(n), o, assume, func(at objects.Here) paths.Step {
			ret, ok := at.Node.Instr.(*ssa.Return)
			switch {
			case finalizers.Known(tests, at.Known) == finalizers.Live:
				return paths.Prune
			case ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return at.MayBe(u.Resolve.Place(v).Object) }):
				return paths.Found
			}
			return paths.Continue
		}, func(s objects.Seen) paths.Step {
			if isHandedOff(s.Event) || s.WrittenTo(kubeapi.MainEndpoint) {
				return paths.Found
			}
			return paths.Continue
		})
		return found
	})
}

func (u *unit) reportUnpersisted(r subject.Change, exit, status *paths.Node) {
	f := rule.Finding{Category: subject.NotPersisted}
	if status != nil {
		f.Message = fmt.Sprintf("%s stays Terminating: line %d stores its status only, not that the finalizer is gone; Update or Patch the object itself",
			u.Object(r), u.Line(status.Instr.Pos()))
		f.Related = []analysis.RelatedInformation{{Pos: status.Instr.Pos(), Message: "stores the status only"}}
		f.Fix = u.updateFix(r, status)
	} else {
		f.Message = fmt.Sprintf("%s stays Terminating: nothing stores this removal before the return on line %d; Update or Patch the object after it",
			u.Object(r), u.Line(exit.Instr.Pos()))
		f.Related = []analysis.RelatedInformation{{Pos: exit.Instr.Pos(), Message: "returns without having stored it"}}
	}
	u.Tell(r.Node, f)
}

// updateFix turns the status write into one of the object, if the status has
// not been changed.
func (u *unit) updateFix(r subject.Change, status *paths.Node) *analysis.SuggestedFix {
	for _, s := range u.Sites {
		if s.Kind == objects.Mutated && s.Place.Aspect() == kubeapi.Status && u.MayBe(s.Place.Object, r.Object) {
			return nil
		}
	}
	call, _ := u.Syntax(status)
	if call == nil {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	switch sel.Sel.Name {
	case "UpdateStatus":
		return &analysis.SuggestedFix{
			Message:   "Write the object with Update",
			TextEdits: []analysis.TextEdit{{Pos: sel.Sel.Pos(), End: sel.Sel.End(), NewText: []byte("Update")}},
		}
	case "Update":
		inner, ok := ast.Unparen(sel.X).(*ast.CallExpr)
		if !ok || len(inner.Args) > 0 || len(call.Args) != 2 {
			return nil
		}
		getter, ok := ast.Unparen(inner.Fun).(*ast.SelectorExpr)
		if !ok || getter.Sel.Name != "Status" {
			return nil
		}
		client := u.Pass.TypesInfo.TypeOf(getter.X)
		if client == nil || !kubeapi.HasMethod(client, "Update") {
			return nil
		}
		return &analysis.SuggestedFix{
			Message:   "Write the object with Update",
			TextEdits: []analysis.TextEdit{{Pos: getter.Sel.Pos(), End: sel.Sel.End(), NewText: []byte("Update")}},
		}
	}
	return nil
}

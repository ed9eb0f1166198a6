package finalizers

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/summary"
)

// TestsOfKind returns the values of a unit that tell whether an object of the
// kind is being deleted, be it o or another one: a copy, or the same object
// read again. A kind of nil may be any.
func (i *Info) TestsOfKind(u *summary.Unit, o flow.Object, kind *types.Named) []Test {
	var tests []Test
	for _, t := range i.testsOf(u) {
		if t.Object == o || i.Summaries.MayBe(t.Object, o) || mayBeKind(KindOf(t.Object), kind) {
			tests = append(tests, t)
		}
	}
	return tests
}

func mayBeKind(a, b *types.Named) bool { return a == nil || b == nil || a.Obj() == b.Obj() }

// opaque returns the calls of a unit whose answer, yes or no, may be about
// the deletion of an object that they are given, for all that can be seen.
func (i *Info) opaque(u *summary.Unit, o flow.Object, kind *types.Named) []Test {
	var found []Test
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || !types.Identical(call.Type(), types.Typ[types.Bool]) || i.isUnderstood(call) {
			continue
		}
		for _, v := range kubeapi.Operands(call.Common()) {
			if !kubeapi.IsObject(v.Type()) {
				continue
			}
			if about := i.Place(v).Object; about == o || i.Summaries.MayBe(about, o) || kind != nil && KindOf(about) == kind {
				found = append(found, Test{Value: call, Object: o, IfTrue: Live, IfFalse: Live})
			}
		}
	}
	return found
}

// isUnderstood reports whether it is known what a call that returns a bool asks.
func (i *Info) isUnderstood(call *ssa.Call) bool {
	targets := i.Summaries.Calls.Callees(call)
	if len(targets.Funcs) > 0 {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	if i.inModule(callee) && !call.Common().IsInvoke() {
		return true
	}
	switch path := callee.Pkg().Path(); {
	case !strings.Contains(path, "."), // the standard library
		strings.HasPrefix(path, "k8s.io/apimachinery/"),
		strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/"),
		strings.HasPrefix(path, "sigs.k8s.io/cluster-api/util/annotations"):
		return true
	}
	return false
}

// inModule reports whether a function belongs to the module that is looked at,
// so that its facts can be seen.
func (i *Info) inModule(fn *types.Func) bool {
	module := i.pass.Module
	if module == nil || module.Path == "" || fn.Pkg() == nil {
		return false
	}
	return fn.Pkg() == i.pass.Pkg || fn.Pkg().Path() == module.Path || strings.HasPrefix(fn.Pkg().Path(), module.Path+"/")
}

// MayBeDeletingKind is [Info.MayBeDeleting], but what is established about any
// object of the kind counts for o.
func (i *Info) MayBeDeletingKind(u *summary.Unit, at *flow.Node, o flow.Object, kind *types.Named) bool {
	tests := append(i.TestsOfKind(u, o, kind), i.opaque(u, o, kind)...)
	_, found := u.Graph.Search(nil, 0, Watch(tests), func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if knownAny(tests, known, Live) {
			return stage, flow.Prune
		}
		if n == at {
			return stage, flow.Found
		}
		return stage, flow.Continue
	})
	return found
}

// knownAny reports whether one of the tests has established the status.
func knownAny(tests []Test, known flow.Known, want Status) bool {
	for _, t := range tests {
		if Known([]Test{t}, known) == want {
			return true
		}
	}
	return false
}

// SurelyLive reports whether every path to the node has established that the
// object is not being deleted.
func (i *Info) SurelyLive(u *summary.Unit, at *flow.Node, o flow.Object, kind *types.Named) bool {
	return i.surely(u, at, i.TestsOfKind(u, o, kind), Live)
}

// SurelyDeleting reports whether every path to the node has established that
// the object is being deleted.
func (i *Info) SurelyDeleting(u *summary.Unit, at *flow.Node, o flow.Object, kind *types.Named) bool {
	return i.surely(u, at, i.TestsOfKind(u, o, kind), Deleting)
}

func (i *Info) surely(u *summary.Unit, at *flow.Node, tests []Test, status Status) bool {
	if len(tests) == 0 {
		return false
	}
	reached := false
	_, found := u.Graph.Search(nil, 0, Watch(tests), func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if n != at {
			return stage, flow.Continue
		}
		if knownAny(tests, known, status) {
			reached = true
			return stage, flow.Prune
		}
		return stage, flow.Found
	})
	return reached && !found
}

// Follow searches the paths after start with the events on one object until
// visit finds one. certain tells that an event is on the object itself and not
// on something that may be it. A path ends where the object is made anew.
func (i *Info) Follow(u *summary.Unit, start *flow.Node, object flow.Object, assume map[ssa.Value]flow.Truth,
	visit func(n *flow.Node, e summary.Event, certain bool) flow.Step, exit func(n *flow.Node, known flow.Known) bool) bool {
	tracker := i.Summaries.Resolve.Track(object)
	_, found := u.Graph.Search(start, 0, assume, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if tracker.Ends(n) {
			return stage, flow.Prune
		}
		names := flow.Names(stage)
		for _, e := range u.At(n) {
			if e.Kind == summary.Reassigned {
				continue // the tracker sees to it
			}
			inside := e.Place.Object.Root == object.Root && strings.HasPrefix(object.Path, e.Place.Object.Path)
			if !tracker.MayBe(e.Place.Object, names) && !(e.Kind == summary.HandedOff && inside) {
				continue
			}
			if step := visit(n, e, tracker.Is(e.Place.Object, names)); step != flow.Continue {
				return stage, step
			}
		}
		if u.Graph.IsExit(n) && exit != nil && exit(n, known) {
			return stage, flow.Found
		}
		return int(tracker.Step(n, known, names)), flow.Continue
	})
	return found
}

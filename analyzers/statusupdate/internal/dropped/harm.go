package dropped

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// harm is that of a dropped status. It is lost where what is set here has no other way to the
// API server. What Create drops, the first Reconcile of the object sets, and others' controllers
// set that of their kinds: one that is taken over as a whole is theirs.
func (u *unit) harm(set, write objects.Site) rule.Harm {
	switch {
	case write.Write.Verb == kubeapi.Create:
	case isWholeStatus(set.Place) && u.IsOthers(set.Event):
	case u.isStoredOtherwise(set), u.setsTimesOnly(set), u.standsIn(write), u.isForFinalizer(write):
	case set.Via != nil && !isTold(set) && (u.setsSpec(set) || !u.onlyStatusChanged(set, write) && (u.isRepeated(set) || u.isSetEachRound(set))):
	default:
		return rule.Loss
	}
	return rule.Hygiene
}

// harmOfLost is that of a status which an update overwrites in memory. Where the update comes
// each time before the status is written, the status is never stored; otherwise its event brings a
// round which stores it.
func (u *unit) harmOfLost(set, write objects.Site) rule.Harm {
	if write.Via != nil || write.Write.Verb == kubeapi.Create {
		return rule.Hygiene
	}
	_, around := u.Follow(u.Unit, set.Node, set.Place.Object, nil, nil, func(s objects.Seen) paths.Step {
		switch {
		case s.Node == write.Node:
			return paths.Prune
		case s.WrittenTo(kubeapi.StatusEndpoint), s.Kind == objects.HandedOff, s.Kind == objects.Touched:
			return paths.Found
		}
		return paths.Continue
	})
	if around {
		return rule.Hygiene
	}
	return rule.Loss
}

// standsIn reports whether a write is made where a status write of the same object has failed, which
// has not been read again since: a conflict fails both, so that it takes another error to lose
// the status, and the next round sets it again.
func (u *unit) standsIn(write objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(status objects.Site) bool {
		if !status.WrittenTo(kubeapi.StatusEndpoint) || !u.MayBe(status.Place.Object, write.Place.Object) {
			return false
		}
		errs := paths.Results(status.Node, kubeapi.IsError)
		if len(errs) == 0 {
			return false
		}
		_, found := u.Graph.Search(status.Node, 0, paths.ErrorIs(status.Node, paths.True), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			switch {
			case known.Of(errs[0]) != paths.True || u.isReadAt(n, write):
				return stage, paths.Prune
			case n == write.Node:
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		return found
	})
}

// isForFinalizer reports whether a write is only made once a finalizer was found to be missing, and put on, where the
// function, or one that calls it, otherwise stores the status: that happens once for each object, and the Reconcile that
// the update triggers stores the status.
func (u *unit) isForFinalizer(write objects.Site) bool {
	if !u.AnyOf(u.Writes(kubeapi.StatusEndpoint), write.Place.Object) && !u.StoredByCaller(write.Place.Object) {
		return false
	}
	for branch, held := range blocks.Decided(write.Node.Instr.Block()) {
		asked, holds := values.Asked(branch.Cond, held)
		call, ok := asked.(*ssa.Call)
		if ok && kubeapi.IsBool(call.Type()) && u.isGiven(call, write.Place.Object) && u.isMissing(call, holds, write) {
			return true
		}
	}
	return false
}

// isGiven reports whether a call gets an object.
func (u *unit) isGiven(call *ssa.Call, object paths.Object) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		return v != nil && u.MayBe(u.Resolve.Place(v).Object, object)
	})
}

// isMissing reports whether the answer of a call is that a finalizer was missing: of one that puts it on,
// of one that asks, before it is put on, or of one of the package that compares the lists afterwards.
func (u *unit) isMissing(call *ssa.Call, holds bool, write objects.Site) bool {
	putsOn := func(changes []finalizers.Change) bool {
		return slices.ContainsFunc(changes, func(c finalizers.Change) bool {
			return c.Kind == finalizers.Added && u.MayBe(c.Object, write.Place.Object)
		})
	}
	isPutOn := func(between func(n *paths.Node) bool) bool {
		return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
			return u.Graph.Reaches(n, write.Node) && putsOn(u.Finalizers.Changes(n.Instr)) && between(n)
		})
	}
	asks := u.Graph.At(call)
	after := func(n *paths.Node) bool {
		return slices.ContainsFunc(asks, func(ask *paths.Node) bool { return u.Graph.Reaches(ask, n) })
	}
	before := func(n *paths.Node) bool {
		return slices.ContainsFunc(asks, func(ask *paths.Node) bool { return u.Graph.Reaches(n, ask) })
	}
	switch changes := u.Finalizers.Changes(call); {
	case len(changes) > 0:
		return holds && putsOn(changes)
	case u.Finalizers.AsksFor(call):
		return !holds && isPutOn(after)
	}
	return holds && isPutOn(before) && slices.ContainsFunc(u.Calls.Callees(call).Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(addr *ssa.FieldAddr) bool { return kubeapi.IsMetaField(addr, "Finalizers") })
	})
}

// isReadAt reports whether a node reads the object of a write.
func (u *unit) isReadAt(n *paths.Node, write objects.Site) bool {
	return n != write.Node && slices.ContainsFunc(u.At(n), func(e objects.Event) bool {
		return e.Kind == objects.Refreshed && u.MayBe(e.Place.Object, write.Place.Object)
	})
}

// isStoredOtherwise reports whether the status may be stored after it has been set, on a way
// that does not pass an update of the object: by the function itself, or by whoever gets the
// object from it.
func (u *unit) isStoredOtherwise(set objects.Site) bool {
	returned := func(at objects.Here) paths.Step {
		ret, ok := at.Node.Instr.(*ssa.Return)
		if ok && at.Node.Frame.Parent == nil && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			return kubeapi.IsObject(v.Type()) && at.MayBe(u.Resolve.Place(v).Object)
		}) {
			return paths.Found
		}
		return paths.Continue
	}
	_, found := u.Follow(u.Unit, set.Node, set.Place.Object, nil, returned, func(s objects.Seen) paths.Step {
		switch {
		case s.Around:
		case s.Kind == objects.HandedOff, s.WrittenTo(kubeapi.StatusEndpoint):
			return paths.Found
		case s.Kind == objects.Written, s.Kind == objects.Refreshed:
			return paths.Prune
		}
		return paths.Continue
	})
	return found
}

// setsTimesOnly reports whether nothing of the status is set but when something happened last,
// which the next round sets again, and nothing in the package goes by it.
func (u *unit) setsTimesOnly(set objects.Site) bool {
	return !u.isRead(set) && !slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		if !subject.IsStatus(s.Event) || !u.MayBe(s.Place.Object, set.Place.Object) {
			return false
		}
		store, ok := s.Node.Instr.(*ssa.Store)
		return !ok || !kubeapi.IsAPITime(store.Val.Type())
	})
}

// isTold reports whether the helper that sets the status is told a constant: what another call
// of it sets is something else.
func isTold(set objects.Site) bool {
	call, ok := set.Node.Instr.(ssa.CallInstruction)
	return ok && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		_, constant := v.(*ssa.Const)
		return constant
	})
}

// setsSpec reports whether the helper that sets the status sets the spec as well: it takes all
// over from elsewhere, and does so again in the next round, which the update brings about.
func (u *unit) setsSpec(set objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.Node == set.Node && s.Kind == objects.Mutated && s.Place.Aspect()&kubeapi.Spec != 0 && u.MayBe(s.Place.Object, set.Place.Object)
	})
}

// isRepeated reports whether the helper that sets the status does so elsewhere in the
// package for an object whose status is written then: as a rule each time.
func (u *unit) isRepeated(set objects.Site) bool {
	for _, fn := range u.Units() {
		other := &unit{Function: u.Of(fn)}
		for _, s := range other.Sites {
			if s.Via == set.Via && s.Node.Instr != set.Node.Instr && subject.IsStatus(s.Event) && other.isStoredOtherwise(s) {
				return true
			}
		}
	}
	return false
}

// isSetEachRound reports whether another helper has set the same part of the status by then, and
// that has been stored: the next round sets and stores it so.
func (u *unit) isSetEachRound(set objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.Via != nil && s.Node.Instr != set.Node.Instr && subject.IsStatus(s.Event) && !isTold(s) && slices.Equal(s.Place.Sub, set.Place.Sub) &&
			u.MayBe(s.Place.Object, set.Place.Object) && u.Graph.Reaches(s.Node, set.Node) && u.isStoredOtherwise(s)
	})
}

// isRead reports whether the package looks at the part of the status that is set.
func (u *unit) isRead(set objects.Site) bool {
	store, ok := set.Node.Instr.(*ssa.Store)
	if !ok {
		return false
	}
	field := calls.FieldAt(store.Addr)
	return field != nil && slices.ContainsFunc(u.Calls.Funcs, func(fn *ssa.Function) bool {
		declared, ok := fn.Object().(*types.Func)
		return !(ok && kubeapi.IsDeepCopy(declared)) && blocks.Any(fn, func(at *ssa.FieldAddr) bool { return calls.FieldAt(at) == field && isLoaded(at) })
	})
}

// isLoaded reports whether anything but a store is done with an address, or with that of a part.
func isLoaded(addr *ssa.FieldAddr) bool {
	return slices.ContainsFunc(*addr.Referrers(), func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.Store:
			return ref.Addr != addr
		case *ssa.FieldAddr:
			return isLoaded(ref)
		}
		return true
	})
}

package statusupdate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// metadata finds changes of metadata (with strict, of the spec) that only a
// status write follows.
func (u *unit) metadata() {
	writes := u.Writes(kubeapi.StatusEndpoint)
	if len(writes) == 0 {
		return
	}
	for _, set := range u.Sites {
		if set.Kind != objects.Mutated || set.Converted || !u.meansToStore(set) || !u.AnyOf(writes, set.Place.Object) || u.storesItself(set) || u.Mirrors(u.Unit, set) {
			continue
		}
		status, ok := u.statusWriteAfter(set)
		if !ok || u.mainWriteReachable(set) || status.Node.AfterFailure() && !set.Node.AfterFailure() {
			continue // a retry makes the change again
		}
		aspect := set.Place.Aspect()
		pos, end := u.Span(status.Node)
		f := rule.Finding{
			Pos: pos, End: end, Category: subject.MetadataDropped, Harm: u.metadataHarm(set),
			Message: fmt.Sprintf("%s changed %s are dropped: this write stores nothing but the status%s; write them with %s as well",
				subject.Describe(aspect), u.Where(set), ofKind(set), subject.MainCall(status)),
			Related: []analysis.RelatedInformation{u.Related(set, subject.Describe(aspect)+" changed here")},
		}
		if u.removesFinalizer(set) && (f.Harm != rule.Hygiene || !u.changesStatus(status)) {
			f.Harm = rule.Stuck
			f.Message = fmt.Sprintf("deletion%s hangs: finalizers removed %s are not stored by this status write; write them with %s as well",
				ofKind(set), u.Where(set), subject.MainCall(status))
		}
		u.Report.Report(f)
	}
}

// removesFinalizer reports whether a change takes finalizers off, and puts none on.
func (u *unit) removesFinalizer(set objects.Site) bool {
	changes := u.Finalizers.Changes(set.Node.Instr)
	of := func(kinds ...finalizers.Kind) bool {
		return slices.ContainsFunc(changes, func(c finalizers.Change) bool {
			return slices.Contains(kinds, c.Kind) && u.MayBe(c.Object, set.Place.Object)
		})
	}
	return set.Place.Aspect() == kubeapi.Finalizers && of(finalizers.Removed, finalizers.Emptied) && !of(finalizers.Added, finalizers.Ran)
}

// changesStatus reports whether a status write may store anything new, so that the next try may
// go another way.
func (u *unit) changesStatus(status objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		changes := s.Kind == objects.Mutated && s.Place.Aspect()&kubeapi.Status != 0 || s.Kind == objects.Touched || s.Kind == objects.HandedOff
		return changes && u.MayBe(s.Place.Object, status.Place.Object) && u.Graph.Reaches(s.Node, status.Node)
	})
}

// metadataHarm is little where the function stores the metadata of such objects on another
// way: the status write brings an event, and then it comes to that. A patch stores what is changed there.
func (u *unit) metadataHarm(set objects.Site) rule.Harm {
	kind := subject.KindOf(set.Event)
	stored := slices.ContainsFunc(u.Writes(kubeapi.MainEndpoint), func(write objects.Site) bool {
		if kind == nil || subject.KindOf(write.Event) != kind {
			return false
		}
		return write.Write.Verb == kubeapi.Update || write.Write.Verb == kubeapi.Patch && u.isChangedAgain(set, write)
	})
	if stored {
		return rule.Hygiene
	}
	return rule.Loss
}

// isChangedAgain reports whether the function makes such a change elsewhere as well, before a write.
func (u *unit) isChangedAgain(set, write objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.Kind == objects.Mutated && s.Node.Instr != set.Node.Instr && s.Place.Aspect() == set.Place.Aspect() &&
			u.removesFinalizer(s) == u.removesFinalizer(set) && u.MayBe(s.Place.Object, set.Place.Object) && u.Graph.Reaches(s.Node, write.Node)
	})
}

// storesItself reports whether the helper that makes a change also writes the
// main resource: what it leaves in memory after that, it leaves on purpose.
func (u *unit) storesItself(set objects.Site) bool {
	return set.Via != nil && slices.ContainsFunc(u.At(set.Node), func(e objects.Event) bool {
		return e.WrittenTo(kubeapi.MainEndpoint) && e.Via == set.Via && e.Place.Object == set.Place.Object
	})
}

func ofKind(s objects.Site) string {
	if kind := subject.KindOf(s.Event); kind != nil {
		return " of the " + subject.TypeName(kind)
	}
	return ""
}

// meansToStore reports whether a change is one that its author means to store and
// that a status endpoint does not store.
// Operators set defaults of the spec in memory, so that is doubtful.
func (u *unit) meansToStore(set objects.Site) bool {
	aspect, kind := set.Place.Aspect(), subject.KindOf(set.Event)
	if aspect != kubeapi.Spec && kind != nil && kinds.StatusKeepsMetadata(kind) {
		return false
	}
	switch aspect {
	case kubeapi.Finalizers, kubeapi.OwnerReferences:
		return true
	case kubeapi.Labels, kubeapi.Annotations:
		// Those of unknown kinds may be on workloads of Kubernetes' own, where they are stored.
		return !set.Empty && (kind != nil || u.Report.Strict())
	case kubeapi.Spec:
		return u.Report.Strict() && !set.Empty && kind != nil && kubeapi.StatusField(kind) != nil
	}
	return false
}

// statusWriteAfter returns the status write that a change reaches without any
// other write of the object.
func (u *unit) statusWriteAfter(set objects.Site) (status objects.Site, found bool) {
	_, found = u.Follow(u.Unit, set.Node, set.Place.Object, u.Changed(u.Unit, set.Node, set.Place), nil, func(s objects.Seen) paths.Step {
		switch {
		case !subject.Interrupts(s.Event):
			return paths.Continue
		case !s.Certain || s.Kind != objects.Written || s.Write.Endpoint != kubeapi.StatusEndpoint:
			return paths.Prune
		case s.Copied:
			// A copy from after the change, to write the status from or to
			// compute a patch against, takes the change for granted.
			return paths.Prune
		case s.ViaCopy:
			return paths.Continue
		}
		status = s.Site
		return paths.Found
	})
	return status, found
}

// mainWriteReachable reports whether a change may be stored after all: by a
// write of the main resource, or where the object goes out of sight.
func (u *unit) mainWriteReachable(set objects.Site) bool {
	_, found := u.Follow(u.Unit, set.Node, set.Place.Object, u.Changed(u.Unit, set.Node, set.Place), nil, func(s objects.Seen) paths.Step {
		if s.Kind == objects.HandedOff || s.WrittenTo(kubeapi.MainEndpoint) {
			return paths.Found
		}
		return paths.Continue
	})
	return found
}

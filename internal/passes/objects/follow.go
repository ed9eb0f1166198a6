package objects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Seen is something that happens, on the path that a [Summaries.Follow] is on, to the
// object that it follows.
type Seen struct {
	Site
	// Certain tells that it happens to the object itself, and not to something that
	// may be it.
	Certain bool
	// Around tells that the struct through which the object is reached is handed off.
	Around bool
	// Copied tells that the path has made a copy of the object before.
	Copied bool
}

// Here is a node that a [Summaries.Follow] comes to.
type Here struct {
	Node  *paths.Node
	Known paths.Known
	MayBe func(paths.Object) bool // whether something may be the object, on this path
}

// Follow follows an object from a node on, under the names that it has on each path, until
// either of two functions says that it has found what it looks for: pass, which may be nil, is asked
// at each node, and then visit about each thing that happens to the object there. A path ends where the object is
// made anew. It returns the path that was found.
func (s *Summaries) Follow(u *Unit, start *paths.Node, object paths.Object, assume map[ssa.Value]paths.Truth,
	pass func(Here) paths.Step, visit func(Seen) paths.Step) (path []*paths.Node, found bool) {
	const copied, stageBits = 1, 1 // of a stage; the names lie above
	tracker := s.Resolve.Track(object)
	return u.Graph.Search(start, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if tracker.Ends(n) {
			return stage, paths.Prune
		}
		names, kept := paths.Names(stage>>stageBits), stage&copied
		if pass != nil {
			if step := pass(Here{n, known, func(o paths.Object) bool { return tracker.MayBe(o, names) }}); step != paths.Continue {
				return stage, step
			}
		}
		for _, e := range u.At(n) {
			seen := Seen{Site: Site{e, n}, Certain: tracker.Is(e.Place.Object, names)}
			switch {
			case e.Kind == Reassigned: // the tracker sees to it
				continue
			case tracker.MayBe(e.Place.Object, names):
			case e.Kind == HandedOff && e.Place.Object.LeadsTo(object):
				seen.Around = true
			default:
				continue
			}
			if e.Kind == Copied && seen.Certain {
				kept = copied
			}
			seen.Copied = kept != 0
			if step := visit(seen); step != paths.Continue {
				return stage, step
			}
		}
		return int(tracker.Step(n, known, names))<<stageBits | kept, paths.Continue
	})
}

// SettlesStatus reports whether a node hands an object of a kind to a function that writes the
// status of such objects, perhaps that of another copy of it.
func (s *Summaries) SettlesStatus(n *paths.Node, kind *types.Named, is func(paths.Object) bool) bool {
	call := n.Call()
	if call == nil || n.Joins != nil || kind == nil {
		return false
	}
	found, _ := s.callees(call.Common(), call)
	return slices.ContainsFunc(found, func(c callee) bool { return c.sum.settles(kind) }) &&
		slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return mayHoldObject(v.Type()) && is(s.Resolve.Place(v).Object) })
}

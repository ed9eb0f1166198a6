package objects

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// PatchBase returns the call of DeepCopy, in the function that sends a merge
// patch of an object, that made the state which the patch starts from, if that is
// a copy of the object.
func (s *Summaries) PatchBase(n *paths.Node) (copied *ssa.Call, object paths.Object, ok bool) {
	call := n.Call()
	if call == nil {
		return nil, object, false
	}
	op, isOp := s.ClientOp(call.Common())
	if !isOp || op.Verb != kubeapi.Patch || op.Object == nil {
		return nil, object, false
	}
	patch := kubeapi.PatchArgument(call.Common())
	if patch == nil {
		return nil, object, false
	}
	spec, _, isPatch := s.PatchOf(patch)
	if !isPatch || spec.From == nil {
		return nil, object, false
	}
	base := s.Resolve.Place(spec.From).Object
	from := s.CopyOf(base)
	copied, _ = calls.CallOf(base.Root)
	object = s.Resolve.Place(op.Object).Object
	return copied, object, copied != nil && from != nil && s.Resolve.Place(from).Object == object
}

// PatchOf returns what a client.Patch says, and the call in the function that makes
// it, itself or by a function that returns it.
func (s *Summaries) PatchOf(v ssa.Value) (spec kubeapi.PatchSpec, made *ssa.Call, ok bool) {
	v = s.Source(v)
	common := s.Calls.Made(v)
	if common == nil {
		return spec, nil, false
	}
	made, _ = calls.CallOf(v)
	spec, ok = kubeapi.PatchMadeBy(common)
	return spec, made, ok
}

// ChangedSince returns the changes of an object between a copy of it and a node;
// sure is false if there may be others that are not seen.
func (s *Summaries) ChangedSince(u *Unit, copied *ssa.Call, at *paths.Node, o paths.Object) (changes []Site, sure bool) {
	out := false
	starts := u.Graph.At(copied)
	between := func(n *paths.Node) bool {
		return slices.ContainsFunc(starts, func(start *paths.Node) bool { return start != n && u.Graph.Reaches(start, n) }) && u.Graph.Reaches(n, at)
	}
	for _, site := range u.Sites {
		if root, _ := calls.CallOf(site.Place.Object.Root); root == copied && site.Kind != Copied && site.Kind != Written {
			return nil, false // the copy is changed, so that there is a difference
		}
		if site.Node == at || site.Kind == Copied || site.Kind == Written && !site.Write.InMemory || !s.concerns(site, o) {
			continue
		}
		switch {
		case !between(site.Node):
			out = out || site.Kind == HandedOff && u.Graph.Reaches(site.Node, at)
		case site.Kind == Mutated:
			changes = append(changes, site)
		default:
			return nil, false
		}
	}
	for _, n := range u.Graph.Nodes {
		// Whoever was handed the object before may change it in any call.
		if (s.runsUnknown(n) || out && s.runsOthers(n)) && n != at && between(n) {
			return nil, false
		}
	}
	return changes, true
}

// concerns reports whether an event may be about an object, or about a struct that
// leads to it.
func (s *Summaries) concerns(site Site, o paths.Object) bool {
	at := site.Place.Object
	return s.MayBe(at, o) || at.Root == o.Root && strings.HasPrefix(o.Path, at.Path)
}

// runsUnknown reports whether a node calls a function value that is not part of
// the graph: it may have captured anything.
func (s *Summaries) runsUnknown(n *paths.Node) bool {
	call := n.Call()
	if call == nil || n.Joins != nil || call.Common().IsInvoke() || call.Common().StaticCallee() != nil || kubeapi.Callee(call.Common()) != nil {
		return false
	}
	if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
		return false
	}
	return paths.Literal(s.Calls, call.Common().Value) == nil
}

// runsOthers reports whether a node calls anything but what is known to leave
// objects alone.
func (s *Summaries) runsOthers(n *paths.Node) bool {
	call := n.Call()
	if call == nil {
		return false
	}
	if _, builtin := call.Common().Value.(*ssa.Builtin); builtin {
		return false
	}
	if _, ok := s.ClientOp(call.Common()); ok {
		return false
	}
	if _, ok := kubeapi.PatchMadeBy(call.Common()); ok {
		return false
	}
	// A client's Status() returns the writer of the status.
	recv, args := kubeapi.Args(call.Common())
	if recv != nil && len(args) == 0 && kubeapi.IsClient(recv.Type()) {
		return false
	}
	fn := kubeapi.Callee(call.Common())
	return fn == nil || !kubeapi.OnlyReads(fn) && !kubeapi.IsDeepCopy(fn) && !kubeapi.Logs(fn)
}

// rebased completes what is known of a status patch that starts from a copy which
// the function itself makes.
func (s *Summaries) rebased(u *Unit, site Site, w Write) Write {
	if site.Via != nil || w.Verb != kubeapi.Patch || w.Endpoint != kubeapi.StatusEndpoint {
		return w
	}
	copied, object, ok := s.PatchBase(site.Node)
	if !ok || object != site.Place.Object {
		return w
	}
	changes, sure := s.ChangedSince(u, copied, site.Node, object)
	if !sure {
		return w
	}
	w.Rebased = true
	var paths []string
	for _, change := range changes {
		paths = add(paths, strings.Join(change.Place.Sub, "."))
	}
	slices.Sort(paths)
	w.Since = strings.Join(paths, ",")
	return w
}

// Source follows a value through variables that are assigned once.
func (s *Summaries) Source(v ssa.Value) ssa.Value {
	return values.Relation{Calls: s.Calls, Steps: values.Converted | values.Held}.End(v)
}

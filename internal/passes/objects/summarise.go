package objects

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// summarise computes the summary of one function from its events.
func (s *Summaries) summarise(u *Unit) *Summary {
	fn := u.Fn
	sum := &Summary{Params: make([]Param, len(fn.Params))}
	for _, site := range u.Sites {
		if !mayBeParam(site.Place.Object) {
			continue
		}
		for _, object := range s.Resolve.Roots(site.Place.Object) {
			if index := paramIndex(fn, object.Root); index >= 0 {
				site.Place.Object = object
				s.note(u, site, &sum.Params[index])
			}
		}
	}
	for _, n := range u.Graph.Nodes {
		if n.Frame.Fn != fn && n.Frame.Fn.Parent() != nil {
			s.spliced[n.Frame.Fn] = true
		}
		if call, ok := n.Instr.(ssa.CallInstruction); ok && !isGo(call) {
			for _, v := range s.called(call.Common()) {
				if index := paramIndex(fn, s.Source(v)); index >= 0 {
					sum.Params[index].Calls = true
				}
			}
		}
	}
	sum.StatusOf = s.statusOf(u)
	sum.Returns = s.results(fn)
	sum.Fresh = s.fresh(u)
	for i := range sum.Params {
		slices.Sort(sum.Params[i].Mutates)
	}
	return sum
}

// mayBeParam leaves out objects that are no parameter for sure.
func mayBeParam(o paths.Object) bool {
	switch o.Root.(type) {
	case *ssa.Parameter, *ssa.Phi:
		return true
	case *ssa.Alloc:
		return strings.HasPrefix(o.Path, ".*")
	}
	return false
}

// called returns the function values that a call runs: what it calls, or hands
// to a function that calls it.
func (s *Summaries) called(common *ssa.CallCommon) []ssa.Value {
	var found []ssa.Value
	if !common.IsInvoke() {
		found = append(found, common.Value)
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return found
	}
	_, args := kubeapi.Args(common)
	for i, arg := range args {
		if change, ok := arg.(*ssa.ChangeType); ok {
			arg = change.X // func() error as a MutateFn
		}
		if s.runs(callee, i) {
			found = append(found, arg)
		}
	}
	return found
}

// anyKind stands for the kind of an object that is not known.
const anyKind = "*"

// statusOf lists the kinds whose status a function writes.
func (s *Summaries) statusOf(u *Unit) []string {
	var kinds []string
	for _, site := range u.Sites {
		if !site.WrittenTo(kubeapi.StatusEndpoint) {
			continue
		}
		if site.Type == nil {
			kinds = add(kinds, anyKind)
		} else {
			kinds = add(kinds, kindName(site.Type))
		}
	}
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		callees, _ := s.callees(call.Common(), call)
		for _, c := range callees {
			for _, kind := range c.sum.StatusOf {
				kinds = add(kinds, kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// settles reports whether the function writes the status of the kind.
func (f *Summary) settles(kind *types.Named) bool {
	return slices.Contains(f.StatusOf, anyKind) || kind != nil && slices.Contains(f.StatusOf, kindName(kind))
}

// paramIndex returns which parameter of fn a value is, or -1.
func paramIndex(fn *ssa.Function, v ssa.Value) int {
	param, _ := v.(*ssa.Parameter)
	return slices.Index(fn.Params, param)
}

func isGo(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Go)
	return ok
}

// note adds one event on a parameter to its summary.
func (s *Summaries) note(u *Unit, site Site, p *Param) {
	e := site.Event
	path := e.Place.Object.Path
	object := strings.TrimPrefix(path, ".")
	switch e.Kind {
	case Mutated:
		if !e.Empty && s.pending(u, site) {
			p.Mutates = add(p.Mutates, strings.Join(e.Place.FullPath(), "."))
		}
	case Written:
		if s.readBefore(u, site) {
			return
		}
		w := s.rebased(u, site, e.Write)
		w.Path = object
		p.Writes = add(p.Writes, w)
	case Refreshed:
		p.Refreshes = add(p.Refreshes, object)
	case HandedOff:
		if object == "" || e.Arg != nil && kubeapi.IsObject(e.Arg.Type()) {
			p.Handoffs = add(p.Handoffs, object)
		}
	}
}

// readBefore reports whether the function's own copy of a parameter, which a write
// sends instead of that, has been read anew before: nothing of what the caller
// handed over is in it then.
func (s *Summaries) readBefore(u *Unit, site Site) bool {
	if !site.ViaCopy || site.Arg == nil {
		return false
	}
	sent := s.Resolve.Place(site.Arg).Object
	if givenAs(sent) == nil {
		return false
	}
	return slices.ContainsFunc(u.Sites, func(other Site) bool {
		_, assigned := other.Node.Instr.(*ssa.Store) // from the parameter
		return other.Kind == Refreshed && !assigned && other.Place.Object == sent && u.Graph.Reaches(other.Node, site.Node)
	})
}

// add appends an entry to a list of a summary, which stays small.
func add[T comparable](list []T, entry T) []T {
	if len(list) >= maxEntries || slices.Contains(list, entry) {
		return list
	}
	return append(list, entry)
}

const maxEntries = 24

// Mirrors reports whether a change copies into an object in memory what another one has in the
// same place, after that has been stored: nothing of it is left to store.
func (s *Summaries) Mirrors(u *Unit, set Site) bool {
	store, ok := set.Node.Instr.(*ssa.Store)
	if !ok {
		return false
	}
	from := s.Resolve.Place(store.Val)
	return from.Object != set.Place.Object && from.Kind == set.Place.Kind && slices.Equal(from.Sub, set.Place.Sub) &&
		slices.ContainsFunc(u.Sites, func(other Site) bool {
			return other.WrittenTo(endpointOf(set)) && other.Place.Object == from.Object && u.Graph.Reaches(other.Node, set.Node)
		})
}

// endpointOf returns the endpoint that stores a change.
func endpointOf(set Site) kubeapi.Endpoint {
	if set.Place.Aspect() == kubeapi.Status {
		return kubeapi.StatusEndpoint
	}
	return kubeapi.MainEndpoint
}

// pending reports whether a change can still be unpersisted on return.
func (s *Summaries) pending(u *Unit, set Site) bool {
	want := endpointOf(set)
	persists := func(e Event) bool {
		return e.Kind == Written && e.Place.Object == set.Place.Object && (e.Write.Endpoint&want != 0 || e.Write.InMemory)
	}
	if s.Mirrors(u, set) {
		return false
	}
	if !slices.ContainsFunc(u.writes, persists) {
		return true
	}
	_, found := u.Graph.Search(set.Node, 0, s.Changed(u, set.Node, set.Place), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if u.Graph.IsExit(n) {
			return stage, paths.Found
		}
		if slices.ContainsFunc(u.At(n), persists) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// fresh tells what has been changed in the objects that a function makes and
// returns.
func (s *Summaries) fresh(u *Unit) [][]string {
	var fresh [][]string
	for ret := range blocks.Returns(u.Fn) {
		for i, v := range ret.Results {
			if !isPointerLike(v.Type()) || !mayHoldObject(v.Type()) || kubeapi.KindBehind(v) == nil {
				continue
			}
			object := s.Resolve.Place(v).Object
			if _, local := object.Root.(*ssa.Alloc); !local || object.Path != "" {
				continue
			}
			for _, site := range u.Sites {
				if site.Kind != Mutated || site.Empty || site.Place.Object != object || !s.pending(u, site) {
					continue
				}
				if fresh == nil {
					fresh = make([][]string, len(ret.Results))
				}
				fresh[i] = add(fresh[i], strings.Join(site.Place.FullPath(), "."))
			}
		}
	}
	return fresh
}

// results tells which parameter each result is, if it is the same one
// wherever the function returns, or nil.
func (s *Summaries) results(fn *ssa.Function) []int {
	const unseen, other = -2, -1
	returns := slices.Repeat([]int{unseen}, fn.Signature.Results().Len())
	for ret := range blocks.Returns(fn) {
		for i, v := range ret.Results {
			if c, ok := v.(*ssa.Const); ok && c.Value == nil {
				continue
			}
			which := other
			if p := s.Resolve.Place(v); len(p.FullPath()) == 0 {
				which = slices.IndexFunc(fn.Params, func(param *ssa.Parameter) bool { return p.Object.Root == param })
			}
			if returns[i] == unseen {
				returns[i] = which
			} else if returns[i] != which {
				returns[i] = other
			}
		}
	}
	for i, which := range returns {
		if which == unseen {
			returns[i] = other
		}
	}
	return returns
}

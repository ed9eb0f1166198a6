package conflictretry

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// stale finds updates of an object that was read outside of the function and
// that nothing in it reads again.
func (r *retry) stale(w update) {
	last := w.events[len(w.events)-1] // the object itself, or what it is a copy of
	if !r.isOutside(last.Place.Object) || !r.wasRead(last) || r.isWish(last.Place.Object) {
		return
	}
	if slices.ContainsFunc(w.events, func(e objects.Event) bool { return r.renewed(e.Place.Object) }) {
		return
	}
	if last.Via != nil && r.helperReads(w.node) || r.drops(w.node) {
		return
	}
	harm := r.harm()
	lost := "and the write is lost"
	if harm == rule.Load {
		lost = "and the attempts are wasted"
	}
	message := fmt.Sprintf("one conflict fails all attempts, %s: %s was read before %s; read and change it inside the function",
		lost, kind(last), r.retrier())
	if get := r.unusedRead(last); get != nil {
		message = fmt.Sprintf("one conflict fails all attempts, %s: the %s that line %d reads is not used; change and send that one",
			lost, kind(last), r.line(get.Instr.Pos()))
	}
	pos, end := r.span(w.node)
	r.stales = append(r.stales, &stale{rule.Finding{
		Pos: pos, End: end, Category: staleObject, Harm: harm, Message: message, About: kind(last),
		Related: []analysis.RelatedInformation{{Pos: r.call.Pos(), Message: "the function is tried here"}},
	}, paths.Outermost(r.call.Parent())})
}

// drops reports whether the function ends without an error though a write has failed: nobody tries
// again then.
func (r *retry) drops(write *paths.Node) bool {
	return ends(r.Unit, write, func(outcome paths.Truth) bool { return outcome == paths.False })
}

// stale is a finding about an object that was read too early, by the declared function around.
type stale struct {
	rule.Finding
	fn *ssa.Function
}

// reportStale reports what was read too early: retries with objects of one kind in one function,
// and in those that it calls, have one cause, and the worst of them stands for all.
func (c *checker) reportStale() {
	var found []*stale
	for _, s := range c.stales {
		i := slices.IndexFunc(found, func(other *stale) bool {
			return other.About == s.About && (other.fn == s.fn || c.callsIt(other.fn, s.fn) || c.callsIt(s.fn, other.fn))
		})
		if i < 0 {
			found = append(found, s)
			continue
		}
		if s.Harm > found[i].Harm {
			s, found[i] = found[i], s
		}
		found[i].Related = append(found[i].Related, analysis.RelatedInformation{Pos: s.Pos, Message: "here, too"})
	}
	for _, s := range found {
		s.About = ""
		c.report.Report(s.Finding)
	}
}

func (c *checker) callsIt(caller, fn *ssa.Function) bool {
	return slices.ContainsFunc(c.Calls.Callers(fn), func(call ssa.CallInstruction) bool { return paths.Outermost(call.Parent()) == caller })
}

// isOutside reports whether an object belongs to a function around the one that
// is tried.
func (r *retry) isOutside(o paths.Object) bool {
	owner := parentOf(o.Root)
	return owner != nil && owner != r.Fn && blocks.Within(r.Fn, owner)
}

func parentOf(v ssa.Value) *ssa.Function {
	if _, free := v.(*ssa.FreeVar); free {
		return nil // not known what it is
	}
	return v.Parent()
}

// wasRead reports whether an object of a function around the one that is tried has surely
// been read there, so that it has a resourceVersion.
func (r *retry) wasRead(e objects.Event) bool {
	o := e.Place.Object
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		return o.Path != "" || !r.isMadeByCaller(root, 0)
	case *ssa.Alloc:
		if o.Path != "" {
			return false // assigned more than once
		}
		return slices.ContainsFunc(r.around(root.Parent()).Sites, func(s objects.Site) bool {
			return s.Kind == objects.Refreshed && s.Place.Object == o && s.Node.Instr != r.call && s.Node.Instr.Parent() != r.Fn && r.mayPrecede(s.Node.Instr, r.call)
		})
	case *ssa.Extract:
		call, ok := root.Tuple.(*ssa.Call)
		return ok && r.isRead(call)
	}
	return false
}

// isWish reports whether the function is handed an object that it creates as well, and finds out by another one
// whether there is one: it is a new one, which has no resourceVersion.
func (r *retry) isWish(o paths.Object) bool {
	if _, given := o.Root.(*ssa.Parameter); !given || o.Path != "" {
		return false
	}
	creates, asks := false, false
	for _, s := range r.Sites {
		creates = creates || s.Kind == objects.Written && s.Write.Verb == kubeapi.Create && s.Place.Object == o
		asks = asks || s.Kind == objects.Refreshed && r.reads(s.Node) && !r.MayBe(s.Place.Object, o)
	}
	return creates && asks
}

// mayPrecede reports whether an instruction may run before another one, if both belong to one
// declared function; a literal runs once it is there.
func (c *checker) mayPrecede(first, then ssa.Instruction) bool {
	if at := c.Calls.Within(then.Parent(), first); at != nil {
		return blocks.Follows(at, then)
	}
	if at := c.Calls.Within(first.Parent(), then); at != nil {
		return blocks.Follows(first, at)
	}
	return true
}

// around is the unit of the declared function around fn.
func (c *checker) around(fn *ssa.Function) *objects.Unit {
	return c.Summaries.Unit(paths.Outermost(fn))
}

func (c *checker) isRefreshed(u *objects.Unit, o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool { return s.Kind == objects.Refreshed && s.Place.Object == o })
}

// isMadeByCaller reports whether a caller in this package hands in an object
// that it has put together itself: that has no resourceVersion.
func (c *checker) isMadeByCaller(p *ssa.Parameter, depth int) bool {
	args, _ := c.Calls.Arguments(p)
	for _, arg := range args {
		o := c.Resolve.Place(arg.Value).Object
		switch root := o.Root.(type) {
		case *ssa.Alloc:
			if o.Path != "" || !c.isRefreshed(c.around(root.Parent()), o) {
				return true
			}
		case *ssa.Call:
			return true // a constructor, perhaps
		case *ssa.Parameter:
			if o.Path == "" && depth < maxHelpers && c.isMadeByCaller(root, depth+1) {
				return true
			}
		}
	}
	return false
}

// renewed reports whether anything in the function may give an object, or what
// it is reached through, another resourceVersion.
func (r *retry) renewed(o paths.Object) bool {
	if slices.ContainsFunc(r.Graph.Nodes, setsVersionAt) {
		return true
	}
	for _, s := range r.Sites {
		switch s.Kind {
		case objects.Refreshed, objects.Reassigned, objects.HandedOff, objects.Touched:
			if r.MayBe(s.Place.Object, o) || holds(s.Place.Object, o) {
				return true
			}
		case objects.Mutated:
			if r.MayBe(s.Place.Object, o) && setsVersion(s.Place) {
				return true
			}
		}
	}
	return false
}

// setsVersionAt reports whether a node sets the resourceVersion of some object.
func setsVersionAt(n *paths.Node) bool {
	call := n.Call()
	return call != nil && kubeapi.IsMetaSetter(kubeapi.Callee(call.Common()), "SetResourceVersion")
}

// holds reports whether an object is reached through another one.
func holds(outer, inner paths.Object) bool {
	return outer.Root == inner.Root && strings.HasPrefix(inner.Path, outer.Path)
}

// setsVersion reports whether a place is the resourceVersion, or all metadata.
func setsVersion(p paths.Place) bool {
	if len(p.Sub) == 0 {
		return true
	}
	last := p.Sub[len(p.Sub)-1]
	return last == "ResourceVersion" || last == "ObjectMeta" || last == "Object" || last == "[]" && len(p.Sub) <= 2
}

// helperReads reports whether a function of this package that a node calls
// reads objects itself.
func (r *retry) helperReads(n *paths.Node) bool {
	call, ok := n.Instr.(*ssa.Call)
	return !ok || r.readsInside(call, 0)
}

// maxHelpers bounds how deep helpers are looked into.
const maxHelpers = 4

func (c *checker) readsInside(call *ssa.Call, depth int) bool {
	if depth > maxHelpers {
		return true
	}
	r := &retry{checker: c}
	for _, fn := range c.Calls.Callees(call).Funcs {
		for _, inner := range c.Unit(fn).Graph.Calls() {
			if r.isRead(inner) || c.readsInside(inner, depth+1) {
				return true
			}
		}
	}
	return false
}

// unusedRead returns the Get in the function whose object nothing uses, or nil.
func (r *retry) unusedRead(e objects.Event) *paths.Node {
	for _, s := range r.Sites {
		if s.Kind != objects.Refreshed || !r.reads(s.Node) || s.Via != nil {
			continue
		}
		alloc, ok := s.Place.Object.Root.(*ssa.Alloc)
		if !ok || alloc.Parent() != r.Fn || kind(s.Event) != kind(e) {
			continue
		}
		if !slices.ContainsFunc(r.Sites, func(other objects.Site) bool {
			return other.Node != s.Node && r.MayBe(other.Place.Object, s.Place.Object)
		}) {
			return s.Node
		}
	}
	return nil
}

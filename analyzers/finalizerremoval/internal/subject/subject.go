// Package subject has what all questions of the rule are about: the functions of a package with their changes
// of finalizers, and where the object is known to be deleted.
package subject

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// The categories.
const (
	NeverRemoved   = "never-removed"
	NotPersisted   = "not-persisted"
	CleanupIgnored = "cleanup-ignored"
	SkippedPath    = "skipped-path"
	WrongBranch    = "wrong-branch"
	BeforeCleanup  = "before-cleanup"
	Gated          = "gated"
	StripsForeign  = "strips-foreign"
	NotFoundStuck  = "notfound-stuck"
)

// Checker looks at one package.
type Checker struct {
	*objects.Summaries
	Info   *finalizers.Finalizers
	Pass   *analysis.Pass
	Report *rule.Reporter

	Units map[*ssa.Function]*Function
	// ownKinds are the kinds (by their names, "*" for those that are not known)
	// on which this package has finalizers of its own.
	OwnKinds      map[string]bool
	StuckReported map[ssa.Instruction]bool
	// asking and local have what is known of functions, see asksOthers and
	// isLocal.
	Asking, Local map[*ssa.Function]bool
	// Owned are the kinds on whose objects the package puts owners, see owned.
	Owned map[string]bool
	// Made are the kinds of which the package creates objects, see makes.
	Made map[string]bool
}

// Function is one function with the literals that are part of its path graph.
type Function struct {
	*Checker
	*objects.Unit
	Changes   []Change // all
	Removals  []Change // those that take finalizers off
	ChangesAt map[*paths.Node][]Change

	deleting, live map[spot]bool // what deletingAt and liveAt have found
	preceding      []bool        // see precedesRemoval
}

// Change is a change of finalizers at a node.
type Change struct {
	finalizers.Change
	Node *paths.Node
}

// Of returns a function of the package with the changes that it makes.
func (c *Checker) Of(fn *ssa.Function) *Function {
	if u := c.Units[fn]; u != nil {
		return u
	}
	u := &Function{Checker: c, Unit: c.Unit(fn), ChangesAt: make(map[*paths.Node][]Change), deleting: make(map[spot]bool), live: make(map[spot]bool)}
	c.Units[fn] = u
	for _, n := range u.Graph.Nodes {
		if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
			continue
		}
		for _, found := range append(c.Info.Changes(n.Instr), c.patched(n.Instr)...) {
			ch := Change{found, n}
			u.Changes = append(u.Changes, ch)
			u.ChangesAt[n] = append(u.ChangesAt[n], ch)
		}
	}
	if len(u.Changes) > finalizers.MaxChanges {
		u.Changes = nil
	}
	for _, ch := range u.Changes {
		if ch.removes() && !u.addsAt(ch.Node) {
			u.Removals = append(u.Removals, ch)
		}
	}
	return u
}

// patched returns what a patch that is written down does to finalizers.
func (c *Checker) patched(instr ssa.Instruction) []finalizers.Change {
	var found []finalizers.Change
	if object, ok := c.Info.Clears(instr); ok {
		found = append(found, c.byPatch(instr, finalizers.Emptied, object))
	}
	for _, p := range c.Info.Patches(instr) {
		if p.List == nil || p.Via != nil {
			continue
		}
		switch {
		case p.List.Empty():
			found = append(found, c.byPatch(instr, finalizers.Emptied, p.ToArg))
		case len(p.List.Values) > 0:
			for _, v := range p.List.Values {
				ch := c.byPatch(instr, finalizers.Replaced, p.ToArg)
				ch.Name = c.Info.NameOf(v)
				found = append(found, ch)
			}
		case p.List.Names > 0:
			found = append(found, c.byPatch(instr, finalizers.Replaced, p.ToArg))
		}
	}
	return found
}

// byPatch is a change by a patch of an object, or of one that is told by its
// name: then only its kind is known.
func (c *Checker) byPatch(instr ssa.Instruction, kind finalizers.Kind, object ssa.Value) finalizers.Change {
	ch := finalizers.Change{Kind: kind, Arg: object, Persisted: true}
	if object == nil {
		if call, ok := instr.(ssa.CallInstruction); ok {
			op, _ := c.ClientOp(call.Common())
			ch.Type = op.Kind
		}
		return ch
	}
	ch.Object = c.Info.Place(object).Object
	ch.Type = finalizers.KindOf(ch.Object)
	if ch.Type == nil {
		ch.Type = kubeapi.KindOf(kubeapi.Unboxed(object).Type())
	}
	return ch
}

func (c Change) removes() bool { return c.Kind == finalizers.Removed || c.Kind == finalizers.Emptied }

// addsAt reports whether a node adds finalizers, too: a helper that adds or
// removes, as the object is live or not.
func (u *Function) addsAt(n *paths.Node) bool {
	return slices.ContainsFunc(u.ChangesAt[n], func(ch Change) bool { return ch.Kind == finalizers.Added || ch.Kind == finalizers.Ran })
}

// RemovalsAt returns what a node takes off.
func (u *Function) RemovalsAt(n *paths.Node) []Change {
	if u.addsAt(n) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(u.ChangesAt[n]), func(ch Change) bool { return !ch.removes() })
}

// Stores reports whether a node writes an object's metadata.
func (u *Function) Stores(n *paths.Node, o paths.Object) bool {
	return slices.ContainsFunc(u.At(n), func(e objects.Event) bool {
		return e.WrittenTo(kubeapi.MainEndpoint) && u.MayBe(e.Place.Object, o)
	})
}

// DeletingAt reports whether it is certain that an object is being deleted
// wherever a path reaches the node: by the function itself, or by all that call
// it in this package.
func (u *Function) DeletingAt(at *paths.Node, o paths.Object) bool {
	return Remembered(u.deleting, spot{at, o}, false, func() bool { return u.deletingWithin(at, o, 0) })
}

// spot is an object at a node. What is known of it there is asked for again
// and again, and takes a search.
type spot struct {
	node   *paths.Node
	object paths.Object
}

// Remembered finds an answer once; meanwhile is what recursion is told until it is known.
func Remembered[K comparable](known map[K]bool, key K, meanwhile bool, find func() bool) bool {
	answer, ok := known[key]
	if !ok {
		known[key] = meanwhile
		answer = find()
		known[key] = answer
	}
	return answer
}

const MaxCallers = 4

func (u *Function) deletingWithin(at *paths.Node, o paths.Object, depth int) bool {
	tests := u.Info.Tests(u.Unit, o)
	if len(tests) > 0 {
		reached := false
		_, open := u.Graph.Search(nil, 0, finalizers.Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if n != at {
				return stage, paths.Continue
			}
			reached = true
			if finalizers.Known(tests, known) != finalizers.Deleting {
				return stage, paths.Found
			}
			return stage, paths.Prune
		})
		if !open && reached {
			return true
		}
	}
	index := u.ParamIndex(o)
	callers := u.Calls.Callers(u.Fn)
	if index < 0 || len(callers) == 0 || depth >= MaxCallers {
		return false
	}
	for _, call := range callers {
		operands := kubeapi.Operands(call.Common())
		if index >= len(operands) || call.Parent() == u.Fn {
			return false
		}
		caller := u.Of(paths.Outermost(call.Parent()))
		nodes := caller.Graph.At(call)
		if len(nodes) == 0 {
			return false
		}
		for _, n := range nodes {
			if !caller.deletingWithin(n, u.Resolve.Place(operands[index]).Object, depth+1) {
				return false
			}
		}
	}
	return true
}

// LiveAt reports whether it is certain that an object is not being deleted
// where a path reaches the node.
func (u *Function) LiveAt(at *paths.Node, o paths.Object) bool {
	return Remembered(u.live, spot{at, o}, false, func() bool { return !u.Info.MayBeDeleting(u.Unit, at, o) })
}

// PrecedesRemoval reports whether the control flow leads from a node to a
// removal at all: a search for a path need not be tried from any other.
func (u *Function) PrecedesRemoval(n *paths.Node) bool {
	if u.preceding == nil {
		u.preceding = make([]bool, len(u.Graph.Nodes))
		before := make([][]*paths.Node, len(u.Graph.Nodes))
		for _, from := range u.Graph.Nodes {
			for _, to := range from.Succs {
				before[to.Index()] = append(before[to.Index()], from)
			}
		}
		var stack []*paths.Node
		for _, r := range u.Removals {
			stack = append(stack, before[r.Node.Index()]...)
		}
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if !u.preceding[n.Index()] {
				u.preceding[n.Index()] = true
				stack = append(stack, before[n.Index()]...)
			}
		}
	}
	return u.preceding[n.Index()]
}

// ParamIndex returns which parameter of the unit's function an object is, or -1.
func (u *Function) ParamIndex(o paths.Object) int {
	param, ok := o.Root.(*ssa.Parameter)
	if !ok || o.Path != "" || param.Parent() != u.Fn {
		return -1
	}
	return slices.Index(u.Fn.Params, param)
}

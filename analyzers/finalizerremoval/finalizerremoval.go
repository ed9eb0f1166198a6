package finalizerremoval

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	neverRemoved   = "never-removed"
	notPersisted   = "not-persisted"
	cleanupIgnored = "cleanup-ignored"
	skippedPath    = "skipped-path"
	wrongBranch    = "wrong-branch"
	beforeCleanup  = "before-cleanup"
	gated          = "gated"
	stripsForeign  = "strips-foreign"
	notFoundStuck  = "notfound-stuck"
)

// Analyzer finds finalizers that never come off, come off too early, or take
// others' with them.
var Analyzer = rule.New(rule.Spec{
	Name:      "finalizerremoval",
	Summary:   "find finalizers that never come off, come off before the clean-up, or take others' with them",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: neverRemoved, Summary: "a finalizer is added that nothing removes", Harm: rule.Stuck},
		{Name: notPersisted, Summary: "a finalizer is removed in memory, and the object is not written", Harm: rule.Stuck, Fix: true},
		{Name: cleanupIgnored, Summary: "the clean-up may have failed, and the finalizer is removed all the same", Harm: rule.Leak},
		{Name: skippedPath, Summary: "a path on which the object is being deleted returns success with the finalizer still on it", Harm: rule.Stuck},
		{Name: wrongBranch, Summary: "a finalizer is removed because a look-up failed, for whatever reason", Harm: rule.Leak},
		{Name: beforeCleanup, Summary: "the removal is stored before the clean-up is tried", Harm: rule.Leak},
		{Name: gated, Summary: "a finalizer is removed only if a field of the spec says so", Harm: rule.Stuck},
		{Name: stripsForeign, Summary: "the finalizers of other controllers are removed as well", Harm: rule.Loss},
		{Name: notFoundStuck, Summary: "the clean-up fails forever if what it deletes is already gone", Harm: rule.Stuck, Fix: true},
	},
	Requires:    []*analysis.Analyzer{finalizers.Analyzer, finalizers.ProgramAnalyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Summaries: info.Summaries, info: info, pass: pass, report: report,
		units: make(map[*ssa.Function]*unit), stuckReported: make(map[ssa.Instruction]bool),
		asking: make(map[*ssa.Function]bool), local: make(map[*ssa.Function]bool),
	}
	var units []*unit
	for _, fn := range info.Summaries.Units() {
		if u := c.unit(fn); len(u.changes) > 0 {
			units = append(units, u)
		}
	}
	c.findOwnKinds(units)
	for _, u := range units {
		if len(u.removals) > 0 {
			u.unpersisted()
			u.ignored()
			u.swallowed()
			u.before()
			u.gates()
			u.skipped()
			u.stuck()
		}
		u.foreign()
	}
	for _, fn := range info.Summaries.Units() {
		u := c.unit(fn)
		u.filtered()
		u.rebuilt()
	}
	c.never(pass.ResultOf[finalizers.ProgramAnalyzer].(*finalizers.Program))
	return nil
}

// checker looks at one package.
type checker struct {
	*objects.Summaries
	info   *finalizers.Finalizers
	pass   *analysis.Pass
	report *rule.Reporter

	units map[*ssa.Function]*unit
	// ownKinds are the kinds (by their names, "*" for those that are not known)
	// on which this package has finalizers of its own.
	ownKinds      map[string]bool
	stuckReported map[ssa.Instruction]bool
	// asking and local have what is known of functions, see asksOthers and
	// isLocal.
	asking, local map[*ssa.Function]bool
}

// unit is one function with the literals that are part of its path graph.
type unit struct {
	*checker
	*objects.Unit
	changes  []change // all
	removals []change // those that take finalizers off
	at       map[*paths.Node][]change

	deleting, live map[spot]bool // what deletingAt and liveAt have found
	preceding      []bool        // see precedesRemoval
}

// change is a change of finalizers at a node.
type change struct {
	finalizers.Change
	Node *paths.Node
}

func (c *checker) unit(fn *ssa.Function) *unit {
	if u := c.units[fn]; u != nil {
		return u
	}
	u := &unit{checker: c, Unit: c.Unit(fn), at: make(map[*paths.Node][]change), deleting: make(map[spot]bool), live: make(map[spot]bool)}
	c.units[fn] = u
	for _, n := range u.Graph.Nodes {
		if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
			continue
		}
		for _, found := range append(c.info.Changes(n.Instr), c.patched(n.Instr)...) {
			ch := change{found, n}
			u.changes = append(u.changes, ch)
			u.at[n] = append(u.at[n], ch)
		}
	}
	if len(u.changes) > finalizers.MaxChanges {
		u.changes = nil
	}
	for _, ch := range u.changes {
		if ch.removes() && !u.addsAt(ch.Node) {
			u.removals = append(u.removals, ch)
		}
	}
	return u
}

// patched returns what a patch that is written down does to finalizers.
func (c *checker) patched(instr ssa.Instruction) []finalizers.Change {
	var found []finalizers.Change
	if object, ok := c.info.Clears(instr); ok {
		found = append(found, c.byPatch(instr, finalizers.Emptied, object))
	}
	for _, p := range c.info.Patches(instr) {
		if p.List == nil || p.Via != nil {
			continue
		}
		switch {
		case p.List.Empty():
			found = append(found, c.byPatch(instr, finalizers.Emptied, p.ToArg))
		case len(p.List.Values) > 0:
			for _, v := range p.List.Values {
				ch := c.byPatch(instr, finalizers.Replaced, p.ToArg)
				ch.Name = c.info.NameOf(v)
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
func (c *checker) byPatch(instr ssa.Instruction, kind finalizers.Kind, object ssa.Value) finalizers.Change {
	ch := finalizers.Change{Kind: kind, Arg: object, Persisted: true}
	if object == nil {
		if call, ok := instr.(ssa.CallInstruction); ok {
			op, _ := c.ClientOp(call.Common())
			ch.Type = op.Kind
		}
		return ch
	}
	ch.Object = c.info.Place(object).Object
	ch.Type = finalizers.KindOf(ch.Object)
	if inner, ok := object.(*ssa.MakeInterface); ok && ch.Type == nil {
		ch.Type = kubeapi.KindOf(inner.X.Type())
	}
	return ch
}

func (c change) removes() bool { return c.Kind == finalizers.Removed || c.Kind == finalizers.Emptied }

// addsAt reports whether a node adds finalizers, too: a helper that adds or
// removes, as the object is live or not.
func (u *unit) addsAt(n *paths.Node) bool {
	for _, ch := range u.at[n] {
		if ch.Kind == finalizers.Added || ch.Kind == finalizers.Ran {
			return true
		}
	}
	return false
}

// removalsAt returns what a node takes off.
func (u *unit) removalsAt(n *paths.Node) []change {
	var found []change
	for _, ch := range u.at[n] {
		if ch.removes() && !u.addsAt(n) {
			found = append(found, ch)
		}
	}
	return found
}

// stores reports whether a node writes an object's metadata.
func (u *unit) stores(n *paths.Node, o paths.Object) bool {
	for _, e := range u.At(n) {
		if e.Kind == objects.Written && e.Write.Endpoint&kubeapi.MainEndpoint != 0 && u.MayBe(e.Place.Object, o) {
			return true
		}
	}
	return false
}

// deletingAt reports whether it is certain that an object is being deleted
// wherever a path reaches the node: by the function itself, or by all that call
// it in this package.
func (u *unit) deletingAt(at *paths.Node, o paths.Object) bool {
	return remembered(u.deleting, spot{at, o}, func() bool { return u.deletingWithin(at, o, 0) })
}

// spot is an object at a node. What is known of it there is asked for again
// and again, and takes a search.
type spot struct {
	node   *paths.Node
	object paths.Object
}

func remembered[K comparable](known map[K]bool, key K, find func() bool) bool {
	answer, ok := known[key]
	if !ok {
		answer = find()
		known[key] = answer
	}
	return answer
}

const maxCallers = 4

func (u *unit) deletingWithin(at *paths.Node, o paths.Object, depth int) bool {
	tests := u.info.Tests(u.Unit, o)
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
	index := u.paramIndex(o)
	callers := u.Calls.Callers(u.Fn)
	if index < 0 || len(callers) == 0 || depth >= maxCallers {
		return false
	}
	for _, call := range callers {
		operands := kubeapi.Operands(call.Common())
		if index >= len(operands) || call.Parent() == u.Fn {
			return false
		}
		caller := u.unit(paths.Outermost(call.Parent()))
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

// liveAt reports whether it is certain that an object is not being deleted
// where a path reaches the node.
func (u *unit) liveAt(at *paths.Node, o paths.Object) bool {
	return remembered(u.live, spot{at, o}, func() bool { return !u.info.MayBeDeleting(u.Unit, at, o) })
}

// precedesRemoval reports whether the control flow leads from a node to a
// removal at all: a search for a path need not be tried from any other.
func (u *unit) precedesRemoval(n *paths.Node) bool {
	if u.preceding == nil {
		u.preceding = make([]bool, len(u.Graph.Nodes))
		before := make([][]*paths.Node, len(u.Graph.Nodes))
		for _, from := range u.Graph.Nodes {
			for _, to := range from.Succs {
				before[to.Index()] = append(before[to.Index()], from)
			}
		}
		var stack []*paths.Node
		for _, r := range u.removals {
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

// paramIndex returns which parameter of the unit's function an object is, or -1.
func (u *unit) paramIndex(o paths.Object) int {
	param, ok := o.Root.(*ssa.Parameter)
	if !ok || o.Path != "" || param.Parent() != u.Fn {
		return -1
	}
	for i, p := range u.Fn.Params {
		if p == param {
			return i
		}
	}
	return -1
}

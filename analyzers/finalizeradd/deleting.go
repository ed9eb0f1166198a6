package finalizeradd

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// whileDeleting reports an addition to an object that may be being deleted.
func (c *checker) whileDeleting(a addition) {
	if a.Guarded || !c.mayBeReported(a) || c.onlyCreated(a) || c.calledForLive(a) || c.cleared(a.unit, a.node, a.Object, a.Type, nil) {
		return
	}
	look := c.lookOf(a)
	if look == nil && !c.handles(a.Type) && !c.report.Strict() {
		return
	}
	if c.createdWith(a) {
		return
	}
	pos, end := syntax.Span(c.pass.Files, a.node.Instr)
	harm, message := c.refusal(a)
	f := rule.Finding{Pos: pos, End: end, Category: whileDeleting, Harm: harm, Message: message, Fix: c.deletingFix(a)}
	if look != nil {
		f.Related = []analysis.RelatedInformation{{Pos: look.Pos(), Message: "its deletion is looked at here"}}
	}
	c.report.Report(f)
}

// mayBeReported tells whether this function is the one that has the object,
// and the object is one that may be being deleted.
func (c *checker) mayBeReported(a addition) bool {
	switch c.Origin(a.unit, a.Object) {
	case finalizers.Fetched:
		return true
	case finalizers.Kept:
		return c.report.Strict()
	case finalizers.Given:
		param := c.parameterOf(a.Object)
		if param == nil {
			return false
		}
		// A literal's parameter is what it is called with to change it; an
		// entry point's what the framework read.
		return param.Parent().Parent() != nil && a.Object.Path == "" || c.isReconciled(param)
	}
	return false
}

// parameterOf returns the parameter that an object is, or is a copy of, or nil.
func (c *checker) parameterOf(o paths.Object) *ssa.Parameter {
	for range maxCallers {
		if param, ok := o.Root.(*ssa.Parameter); ok {
			return param
		}
		from, _, ok := c.CopyOf(o)
		if !ok {
			return nil
		}
		o = from
	}
	return nil
}

// isReconciled reports whether a parameter is the object that a reconciler or
// an event handler is called for, whether it is being deleted or not. Frameworks that call
// another method for deletions (knative, crossplane) do not count.
func (c *checker) isReconciled(param *ssa.Parameter) bool {
	return param != nil && slices.ContainsFunc(c.entries.Of(param.Parent()), func(entry *entrypoints.Entry) bool {
		called := entry.Kind == kubeapi.Reconcile && entry.What == "Reconcile" || entry.Kind == kubeapi.EventHandler
		return called && slices.Contains(entry.Objects(), param)
	})
}

// onlyCreated reports whether the object is written after the addition, and
// only by creating it.
func (c *checker) onlyCreated(a addition) bool {
	created := false
	_, other := c.Summaries.Follow(a.unit, a.node, a.Object, nil, nil, func(e objects.Seen) paths.Step {
		if !e.WrittenTo(kubeapi.MainEndpoint) {
			return paths.Continue
		}
		if e.Write.Verb == kubeapi.Create {
			created = true
			return paths.Prune
		}
		return paths.Found
	})
	return created && !other
}

// calledForLive reports whether the object is the parameter of a literal that
// is called only for objects that are not being deleted.
func (c *checker) calledForLive(a addition) bool {
	param := c.parameterOf(a.Object)
	if param == nil || param.Parent().Parent() == nil {
		return false
	}
	callers := c.Summaries.Calls.Callers(param.Parent())
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
		return c.anyAt(call, func(u *objects.Unit, n *paths.Node) bool { return c.MayBeDeletingKind(u, n, paths.Object{}, a.Type) })
	})
}

// anyAt reports whether something holds at a node that an instruction has: in the graph of the declared
// function around it, or of its literal, if that is no part of the other.
func (c *checker) anyAt(instr ssa.Instruction, holds func(u *objects.Unit, n *paths.Node) bool) bool {
	u := c.Summaries.Unit(paths.Outermost(instr.Parent()))
	nodes := u.Graph.At(instr)
	if len(nodes) == 0 {
		u = c.Summaries.Unit(instr.Parent())
		nodes = u.Graph.At(instr)
	}
	return slices.ContainsFunc(nodes, func(n *paths.Node) bool { return holds(u, n) })
}

// maxCallers bounds how far callers are looked at.
const maxCallers = 6

// cleared reports whether the object cannot be being deleted at a node, for
// what the function, each of its callers or the filter of a watch has
// established, or whether that cannot be told.
func (c *checker) cleared(u *objects.Unit, at *paths.Node, o paths.Object, kind *types.Named, seen []*ssa.Function) bool {
	if !c.MayBeDeletingKind(u, at, o, kind) {
		return true
	}
	fn := u.Fn
	if slices.Contains(seen, fn) || len(seen) > maxCallers {
		return true
	}
	seen = append(seen, fn)
	if fn.Parent() != nil {
		return c.clearedAt(c.uses(fn), kind, seen)
	}
	if entries := c.entries.Of(fn); len(entries) > 0 {
		for _, entry := range entries {
			switch entry.Kind {
			case kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync, kubeapi.EventHandler:
				return c.filtered(entry, kind)
			case kubeapi.Admission, kubeapi.Predicate, kubeapi.MapFunc:
				return true
			}
		}
		return false
	}
	var callers []ssa.Instruction
	for _, call := range c.Summaries.Calls.Callers(fn) {
		callers = append(callers, call)
	}
	if len(callers) == 0 {
		return !c.report.Strict() // whoever calls it may have looked
	}
	return c.clearedAt(callers, kind, seen)
}

// clearedAt reports whether an object of the kind cannot be being deleted at
// any of the instructions.
func (c *checker) clearedAt(instrs []ssa.Instruction, kind *types.Named, seen []*ssa.Function) bool {
	return !slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool {
		return c.anyAt(instr, func(u *objects.Unit, n *paths.Node) bool { return !c.cleared(u, n, paths.Object{}, kind, seen) })
	})
}

// uses returns the instructions of the function around a literal that take it.
func (c *checker) uses(literal *ssa.Function) []ssa.Instruction {
	var found []ssa.Instruction
	for _, closure := range c.Summaries.Calls.Closures(literal) {
		found = append(found, closure)
	}
	if len(found) > 0 {
		return found
	}
	for instr := range blocks.Instrs(literal.Parent()) {
		for _, operand := range instr.Operands(nil) {
			if operand != nil && *operand == ssa.Value(literal) {
				found = append(found, instr)
			}
		}
	}
	return found
}

// filtered reports whether objects of the kind that are being deleted are kept
// from the entry point: a predicate of the package lets none of them pass, or,
// for a workqueue, an event handler treats them differently.
func (c *checker) filtered(entry *entrypoints.Entry, kind *types.Named) bool {
	return slices.ContainsFunc(c.entries.Entries, func(e *entrypoints.Entry) bool {
		return len(e.Fn.Blocks) > 0 && (e.Kind == kubeapi.Predicate && c.letsNoDeletingPass(e.Fn, kind) ||
			e.Kind == kubeapi.EventHandler && e.Fn != entry.Fn && entry.Kind != kubeapi.Reconcile && c.looksAt(e.Fn, kind))
	})
}

func (c *checker) looksAt(fn *ssa.Function, kind *types.Named) bool {
	return len(c.TestsOfKind(c.Summaries.Unit(fn), paths.Object{}, kind)) > 0
}

// letsNoDeletingPass reports whether a predicate returns true only for objects
// that are not being deleted.
func (c *checker) letsNoDeletingPass(fn *ssa.Function, kind *types.Named) bool {
	u := c.Summaries.Unit(fn)
	tests := c.TestsOfKind(u, paths.Object{}, kind)
	if len(tests) == 0 {
		return false
	}
	_, passes := u.Graph.Search(nil, 0, finalizers.Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(n) || len(ret.Results) != 1 || finalizers.Known(tests, known) == finalizers.Live {
			return stage, paths.Continue
		}
		result := ret.Results[0]
		isTest := func(t finalizers.Test) bool { return t.Value == result && t.IfTrue == finalizers.Live } // return obj.DeletionTimestamp.IsZero()
		if known.Of(result) == paths.False || slices.ContainsFunc(tests, isTest) {
			return stage, paths.Continue
		}
		return stage, paths.Found
	})
	return !passes
}

// lookOf returns where the function looks at the deletion of the object, or
// takes its finalizers off, or nil.
func (c *checker) lookOf(a addition) ssa.Instruction {
	for _, t := range c.Tests(a.unit, a.Object) {
		if instr, ok := t.Value.(ssa.Instruction); ok && instr.Pos().IsValid() {
			return instr
		}
	}
	for _, n := range a.unit.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		if c.takesOff(n, a, func(finalizers.Change) bool { return true }) ||
			slices.ContainsFunc(c.AskedAbout(n.Instr), func(o paths.Object) bool { return c.Summaries.MayBe(o, a.Object) }) {
			return n.Instr
		}
	}
	return nil
}

// handles reports whether the package looks at the deletion of objects of the
// kind anywhere, or takes finalizers off them.
func (c *checker) handles(kind *types.Named) bool {
	if kind == nil {
		return false
	}
	if c.handled == nil {
		c.handled = make(map[*types.Named]bool)
		for _, fn := range c.Summaries.Units() {
			u := c.Summaries.Unit(fn)
			for _, k := range c.TestedKinds(u) {
				c.handled[k] = true
			}
			for _, n := range u.Graph.Nodes {
				if n.Joins != nil {
					continue
				}
				for _, change := range c.Changes(n.Instr) {
					if change.Kind == finalizers.Removed || change.Kind == finalizers.Emptied {
						c.handled[change.Type] = true
						c.handled[finalizers.KindOf(change.Object)] = true
					}
				}
				for _, o := range c.AskedAbout(n.Instr) {
					c.handled[finalizers.KindOf(o)] = true
				}
			}
		}
	}
	return c.handled[kind]
}

package finalizeradd

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// notPersisted reports an addition that stays in memory on a path to a
// successful return.
func (c *checker) notPersisted(a addition) bool {
	if a.Persisted || !c.isOwn(a) || c.leaves(a) || c.PatchesByName(a.unit, a.Type) {
		return false
	}
	exit := c.forgotten(a)
	if exit == nil {
		return false
	}
	pos, end := syntax.Span(c.pass.Files, a.node.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: notPersisted,
		Message: fmt.Sprintf("%s can be deleted without clean-up: the return on line %d does not store this finalizer; Update or Patch the object before",
			a.what(), c.line(exit)),
	})
	return true
}

// isOwn tells whether nobody but this function can store the object: it has
// read it itself, or is the reconciler that the framework read it for.
func (c *checker) isOwn(a addition) bool {
	switch c.Origin(a.unit, a.Object) {
	case finalizers.Fetched:
		return true
	case finalizers.Given:
		return c.isReconciled(c.parameterOf(a.Object))
	}
	return false
}

// leaves reports whether the object goes out of sight anywhere in the
// function, is returned, or is part of something larger: it may be stored
// there.
func (c *checker) leaves(a addition) bool {
	mayBe := func(o paths.Object) bool { return o.Root == a.Object.Root || c.Summaries.MayBe(o, a.Object) }
	if slices.ContainsFunc(a.unit.Sites, func(s objects.Site) bool { return s.Kind == objects.HandedOff && mayBe(s.Place.Object) }) {
		return true
	}
	for _, n := range a.unit.Graph.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.Call:
			if encodes(instr) && c.isGiven(instr, a) {
				return true // a patch made by hand, or the like
			}
		case *ssa.Return:
			if slices.ContainsFunc(instr.Results, func(v ssa.Value) bool { return mayBe(c.Place(v).Object) }) {
				return true
			}
		case *ssa.Phi:
			// Merged with something else: not followed.
			if c.Place(instr).Object != a.Object && slices.ContainsFunc(instr.Edges, func(edge ssa.Value) bool { return c.Place(edge).Object.Root == a.Object.Root }) {
				return true
			}
		}
	}
	return false
}

// encodes reports whether a call returns bytes, text or a map: what it is given
// may be sent in that form.
func encodes(call *ssa.Call) bool {
	return kubeapi.AnyIs(call.Common().Signature().Results(), func(t types.Type) bool {
		_, isList := t.Underlying().(*types.Slice)
		return isList || kubeapi.IsMap(t) || kubeapi.IsString(t)
	})
}

func (c *checker) isGiven(call *ssa.Call, a addition) bool {
	if kubeapi.IsFinalizerGetter(kubeapi.Callee(call.Common())) {
		return false
	}
	recv, args := kubeapi.Args(call.Common())
	if recv != nil && !kubeapi.IsObject(recv.Type()) {
		args = append([]ssa.Value{recv}, args...)
	}
	return slices.ContainsFunc(args, func(v ssa.Value) bool {
		if !types.IsInterface(v.Type()) && !kubeapi.IsObject(v.Type()) {
			return false
		}
		o := c.Place(v).Object
		return o == a.Object || c.Summaries.MayBe(o, a.Object)
	})
}

// forgotten returns a successful return to which a path leads from the addition
// without a write, or nil.
func (c *checker) forgotten(a addition) (found *paths.Node) {
	visit := func(e objects.Seen) paths.Step {
		switch {
		case e.Kind == objects.Written && e.Write.Endpoint != kubeapi.OtherEndpoint:
			// Written through the status endpoint only: statusupdate's
			// metadata-dropped says so.
			return paths.Prune
		case e.Kind == objects.HandedOff, e.Kind == objects.Touched, e.Kind == objects.Copied, e.Kind == objects.Refreshed:
			return paths.Prune
		}
		return paths.Continue
	}
	exit := func(at objects.Here) paths.Step {
		if c.CarriesOn(a.unit, at.Node, a.Object, a.Type) {
			return paths.Prune
		}
		if !a.unit.Graph.IsExit(at.Node) || a.unit.Graph.Outcome(at.Node, at.Known) != paths.False {
			return paths.Continue
		}
		found = at.Node
		return paths.Found
	}
	c.Summaries.Follow(a.unit, a.node, a.Object, c.Summaries.Changed(a.unit, a.node, finalizers.ListOf(a.Object)), exit, visit)
	return found
}

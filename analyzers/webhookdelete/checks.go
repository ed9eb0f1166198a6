package webhookdelete

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/webhookdelete/internal/refusals"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// checked looks for a check of the new object alone that an update meets which takes a
// finalizer off. An object that was valid passes it again; one that is older than the check
// does not.
func (c *checker) checked(entry *entrypoints.Entry, served string) {
	w := c.walk(entry)
	given, ok := refusals.Situation(entry.Fn)
	if !ok || served == "" {
		return
	}
	if entry.What == "ValidateUpdate" && w.refusesAll(given, served) {
		return
	}
	for call := range blocks.InstrsOf[*ssa.Call](entry.Fn) {
		if !w.checksNew(call) || w.OnlyIfChanged(call) || !w.Refuses(call) || !w.Reached(call, given) {
			continue
		}
		pos, end := syntax.Span(c.pass.Files, call)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: blocksFinalizer, Harm: rule.Hygiene, Finalized: served,
			Message: "an object that fails this check, being older than it, stays forever: " + entry.What + " refuses the update that takes its finalizer off; return early",
		})
		return
	}
}

// checksNew reports whether a call checks the new object, and it alone.
func (w *walk) checksNew(call *ssa.Call) bool {
	callee := call.Common().StaticCallee()
	if callee == nil {
		return false
	}
	if w.checks.Of(callee) == nil && w.checks.Elsewhere(call) == nil {
		return false
	}
	given := w.ObjectsOf(kubeapi.Operands(call.Common())...)
	return len(given) == 1 && !w.isOld(given[0])
}

// isOld reports whether a value is the object as it was before: the first of ValidateUpdate's
// parameters, or what is decoded of a request's OldObject.
func (w *walk) isOld(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		return w.Entry.What == "ValidateUpdate" && v == w.old()
	case *ssa.Alloc:
		return slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool { return decodesOld(ref) || boxedForOld(ref) })
	}
	return false
}

// old is ValidateUpdate's parameter for the old object: the first one after the context.
func (w *walk) old() *ssa.Parameter {
	for _, p := range w.Entry.Fn.Params[1:] {
		if !kubeapi.IsContext(p.Type()) {
			return p
		}
	}
	return nil
}

func boxedForOld(ref ssa.Instruction) bool {
	boxed, ok := ref.(*ssa.MakeInterface)
	return ok && slices.ContainsFunc(*boxed.Referrers(), decodesOld)
}

// decodesOld reports whether an instruction is a call that decodes a request's old object.
func decodesOld(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	return ok && decodes(call) && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		return values.Relation{Steps: values.Selected}.Any(v, func(v ssa.Value) bool {
			field := calls.FieldAt(v)
			return field != nil && field.Name() == "OldObject"
		})
	})
}

// refusesAll reports, and tells, that each update is refused, whatever it changes.
func (w *walk) refusesAll(given map[ssa.Value]paths.Truth, served string) bool {
	unit := w.Sums.Unit(w.Entry.Fn)
	if unit == nil {
		return false
	}
	var refused *ssa.Return
	_, admitted := unit.Graph.Search(nil, 0, given, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if !unit.Graph.IsExit(n) {
			return stage, paths.Continue
		}
		ret, ok := n.Instr.(*ssa.Return)
		if !ok {
			return stage, paths.Prune
		}
		if unit.Graph.Outcome(n, known) != paths.True {
			return stage, paths.Found
		}
		refused = ret
		return stage, paths.Prune
	})
	if admitted || refused == nil {
		return false
	}
	w.report.Report(rule.Finding{
		Pos: refused.Pos(), Category: blocksFinalizer, Harm: w.harm(served), Finalized: served,
		Message: "no object can be deleted that has a finalizer: ValidateUpdate refuses each update, also the one that takes the finalizer off; compare the specs",
	})
	return true
}

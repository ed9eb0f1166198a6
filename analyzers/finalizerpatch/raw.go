package finalizerpatch

import (
	"fmt"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
)

// raw reports a patch that is written down and sets the list.
func (u *unit) raw(at *paths.Node, p finalizers.Patch) {
	if p.List.Locked || p.List.Empty() {
		return
	}
	kind := finalizers.KindOf(p.To)
	harm, edit := rule.Loss, finalizers.Added
	switch {
	case p.List.Value != nil:
		harm, edit = u.harmOfList(at, p)
	case u.SurelyDeleting(u.Unit, at, p.To, kind):
		harm = 0
	case !u.isShared(kind):
		harm = rule.Hygiene
	}
	f := rule.Finding{Category: rawList, Harm: harm}
	switch {
	case harm == 0:
		return
	case edit == finalizers.Added || harm == rule.Loss:
		f.Message = fmt.Sprintf("others' finalizers on %s are lost: this merge patch sets the whole list; use controllerutil.AddFinalizer and MergeFromWithOptimisticLock", nameOf(kind, p.To))
	default:
		f.Message = fmt.Sprintf("%s can stay Terminating: from a stale cache this patch re-adds finalizers and is rejected; put the resourceVersion into it", nameOf(kind, p.To))
	}
	f.Pos, f.End = syntax.Span(u.pass.Files, at.Instr)
	u.report.Report(f)
}

// harmOfList is what comes of a list that is computed, and what was done: the object's
// own with something added or taken off.
func (u *unit) harmOfList(at *paths.Node, p finalizers.Patch) (rule.Harm, finalizers.Kind) {
	kind, of, ok := u.EditOf(p.List.Value)
	if !ok {
		return 0, kind
	}
	switch kind {
	case finalizers.Added:
		if !u.isShared(finalizers.KindOf(of)) {
			return rule.Hygiene, kind
		}
		return rule.Loss, kind
	case finalizers.Removed:
		return u.harmOf(change{Change: finalizers.Change{Kind: kind, Object: of}, node: at}, at), kind
	case finalizers.Replaced: // as it is: what was done to the object counts
		for _, c := range u.changes() {
			harm := u.harmOf(c, at)
			if harm != 0 && u.same(c.Object, of) && u.Graph.Reaches(c.node, at) {
				return harm, c.Kind
			}
		}
	}
	return 0, kind
}

package finalizerpatch

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
)

// found is a patch without a lock, of an object whose finalizers have changed.
type found struct {
	patch    finalizers.Patch
	harm     rule.Harm
	removed  bool // a finalizer is taken off
	object   string
	changed  token.Pos
	pos, end token.Pos
	fix      *analysis.SuggestedFix
}

// sender is where a function of this package sends a patch.
type sender struct {
	pos, end token.Pos
	patch    finalizers.Patch
}

// note keeps a patch until all of the package are known.
func (u *unit) note(at *paths.Node, p finalizers.Patch, c change, harm rule.Harm) {
	u.noteAt(at, p, c, harm, c.node.Instr.Pos())
}

func (u *unit) noteAt(at *paths.Node, p finalizers.Patch, c change, harm rule.Harm, changed token.Pos) {
	f := found{patch: p, harm: harm, removed: c.Kind == finalizers.Removed, object: nameOf(c.Type, c.Object), changed: changed, fix: u.lock(at, p)}
	f.pos, f.end = syntax.Span(u.pass.Files, at.Instr)
	u.found = append(u.found, f)
}

// cause identifies what has to be mended: the call that makes the patch, the
// helper that computes or sends it, or else the call that sends it.
func (f found) cause() any {
	switch {
	case f.patch.Made != nil:
		return f.patch.Made
	case f.patch.Diff != nil:
		return f.patch.Diff
	case f.patch.Via != nil:
		return f.patch.Via
	}
	return f.pos
}

// tell reports each cause once.
func (c *checker) tell() {
	groups := make(map[any][]found)
	var order []any
	for _, f := range c.found {
		key := f.cause()
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], f)
	}
	for _, key := range order {
		c.tellCause(groups[key])
	}
}

func (c *checker) tellCause(group []found) {
	// The worst is what the message says.
	first := slices.MaxFunc(group, func(a, b found) int { return cmp.Compare(a.harm, b.harm) })
	out := rule.Finding{Pos: first.pos, End: first.end, Category: unlocked, Harm: first.harm, Fix: first.fix}
	changed := fmt.Sprintf("changed on line %d", c.pass.Fset.Position(first.changed).Line)
	if len(group) > 1 {
		changed = fmt.Sprintf("changed in %d places", len(group))
		if at, ok := c.sending[first.patch.Via]; ok && at.pos.IsValid() && first.patch.Made == nil {
			// The helper is what has to be mended.
			out.Pos, out.End, first.patch = at.pos, at.end, at.patch
		}
	}
	if !first.removed || first.harm == rule.Loss {
		out.Message = fmt.Sprintf("others' finalizers on %s can be lost: this patch sends the whole list, %s; %s", first.object, changed, remedy(first.patch))
	} else {
		out.Message = fmt.Sprintf("%s can stay Terminating: from a stale cache this patch re-adds finalizers and is rejected; %s", first.object, remedy(first.patch))
	}
	for _, f := range group {
		out.Related = append(out.Related, analysis.RelatedInformation{Pos: f.changed, Message: "the finalizers are changed here"})
		if f.pos != out.Pos {
			out.Related = append(out.Related, analysis.RelatedInformation{Pos: f.pos, Message: "and sent here"})
		}
	}
	c.report.Report(out)
}

// remedy says how the patch gets its lock.
func remedy(p finalizers.Patch) string {
	const lock = "use MergeFromWithOptimisticLock"
	switch {
	case p.Made != nil:
		if name := kubeapi.Callee(p.Made.Common()).Name(); name != "MergeFrom" && name != "MergeFromWithOptions" {
			return "put the resourceVersion into the patch"
		}
		return lock
	case p.Diff != nil:
		return "have " + p.Diff.Name() + " send the resourceVersion"
	case p.Via != nil:
		return "have " + p.Via.Name() + " " + lock
	}
	return "put the resourceVersion into the patch"
}

func nameOf(kind *types.Named, o paths.Object) string {
	if kind == nil {
		kind = finalizers.KindOf(o)
	}
	if kind == nil {
		return "the object"
	}
	return kind.Obj().Name()
}

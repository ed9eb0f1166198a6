package finalizerpatch

import (
	_ "embed"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/finalizers"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
	"github.com/opvet/opvet/internal/summary"
)

//go:embed doc.go
var doc string

const (
	unlocked = "unlocked"
	rawList  = "raw-list"
)

// Analyzer finds merge patches that replace an object's list of finalizers.
var Analyzer = rule.New(rule.Spec{
	Name:      "finalizerpatch",
	Summary:   "find merge patches that drop the finalizers which other controllers have added",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: unlocked, Summary: "a changed list of finalizers is sent as a merge patch without the optimistic lock", Harm: rule.Loss, Fix: true},
		{Name: rawList, Summary: "a raw merge patch sets the list of finalizers", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{finalizers.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Info)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{Info: info, pass: pass, report: report}
	for _, fn := range info.Summaries.Units() {
		u := &unit{checker: c, Unit: info.Summaries.Unit(fn)}
		for _, n := range u.Graph.Nodes {
			if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
				continue
			}
			for _, p := range c.Patches(n.Instr) {
				if p.List != nil {
					u.raw(n, p)
				} else {
					u.computed(n, p)
				}
			}
		}
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*finalizers.Info
	pass   *analysis.Pass
	report *rule.Reporter
}

type unit struct {
	*checker
	*summary.Unit
	changed []change // nil until asked
	asked   bool
}

// change is a change of a list of finalizers at a node.
type change struct {
	finalizers.Change
	node *flow.Node
}

// changes returns the changes that the unit makes in memory, and does not
// write at once.
func (u *unit) changes() []change {
	if u.asked {
		return u.changed
	}
	u.asked = true
	for _, n := range u.Graph.Nodes {
		if _, isDefer := n.Instr.(*ssa.Defer); isDefer && !n.Deferred || n.Joins != nil {
			continue
		}
		for _, c := range u.Changes(n.Instr) {
			if !c.Persisted {
				u.changed = append(u.changed, change{c, n})
			}
		}
	}
	// An addition says more than the removal of an old name beside it.
	slices.SortStableFunc(u.changed, func(a, b change) int { return int(a.Kind) - int(b.Kind) })
	return u.changed
}

// computed reports a patch that is computed from two states of an object,
// between which its finalizers have changed.
func (u *unit) computed(at *flow.Node, p finalizers.Patch) {
	for _, c := range u.changes() {
		if !u.matters(c, at) || !u.sent(c, at, p) {
			continue
		}
		f := rule.Finding{Category: unlocked, Fix: u.lock(p)}
		f.Pos, f.End = source.Span(u.pass.Files, at.Instr)
		via := ""
		if p.Via != nil {
			via = fmt.Sprintf(" (by %s)", p.Via.Name())
		}
		f.Message = fmt.Sprintf("this merge patch%s sends the whole list of finalizers of %s, changed on line %d, without a lock: what another controller has added meanwhile is dropped, and its clean-up never runs; %s",
			via, nameOf(c.Type, c.Object), u.pass.Fset.Position(c.node.Instr.Pos()).Line, remedy(p))
		f.Related = []analysis.RelatedInformation{{Pos: c.node.Instr.Pos(), Message: "the finalizers are changed here"}}
		u.report.Report(f)
		return
	}
}

// remedy says how the patch gets its lock.
func remedy(p finalizers.Patch) string {
	if p.Made == nil && p.Via == nil || p.Made != nil && kubeapi.Callee(p.Made.Common()).Name() != "MergeFrom" && kubeapi.Callee(p.Made.Common()).Name() != "MergeFromWithOptions" {
		return "put the resourceVersion into the patch, or use Update"
	}
	return "use client.MergeFromWithOptions with client.MergeFromWithOptimisticLock{}"
}

func nameOf(kind *types.Named, o flow.Object) string {
	if kind == nil {
		kind = finalizers.KindOf(o)
	}
	if kind == nil {
		return "the object"
	}
	return "*" + kind.Obj().Pkg().Name() + "." + kind.Obj().Name()
}

// sent reports whether a change of finalizers is part of a patch: it is made
// to what is sent, or to what that was copied from, after the state that the
// patch starts from was copied.
func (u *unit) sent(c change, at *flow.Node, p finalizers.Patch) bool {
	if at == c.node || p.From == p.To {
		return false
	}
	to, from := p.To, p.From
	toFrom, toCopy, toCopied := u.CopyOf(to)
	fromFrom, fromCopy, fromCopied := u.CopyOf(from)
	switch {
	case c.Object == to && fromCopied && u.same(fromFrom, to):
		// orig := obj.DeepCopy(); change(obj); Patch(obj, MergeFrom(orig))
		return u.follows(fromCopy, c.node, at, to)
	case c.Object == to && toCopied && u.same(toFrom, from):
		// updated := obj.DeepCopy(); change(updated); Patch(updated, MergeFrom(obj))
		return u.follows(toCopy, c.node, at, to)
	case toCopied && c.Object == toFrom && fromCopied && u.same(fromFrom, toFrom):
		// orig := obj.DeepCopy(); change(obj); Patch(obj.DeepCopy(), MergeFrom(orig))
		return u.follows(fromCopy, c.node, at, toFrom)
	}
	return false
}

func (u *unit) same(a, b flow.Object) bool { return a == b || u.Summaries.MayBe(a, b) }

// follows reports whether a path leads from the copy to the change, and from
// there to the patch, without anything that overwrites or stores the object on
// the way.
func (u *unit) follows(copied *ssa.Call, changed, at *flow.Node, o flow.Object) bool {
	before := false
	for _, start := range u.Graph.At(copied) {
		_, found := u.Graph.Search(start, 0, nil, func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
			switch n {
			case changed:
				return stage, flow.Found
			case start:
				return stage, flow.Prune
			}
			return stage, flow.Continue
		})
		before = before || found
	}
	if !before {
		return false
	}
	_, found := u.Graph.Search(changed, 0, summary.Done(changed), func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
		if n == at {
			return stage, flow.Found
		}
		if n.Instr == ssa.Instruction(copied) {
			return stage, flow.Prune
		}
		for _, e := range u.At(n) {
			stores := e.Kind == summary.Written && e.Write.Endpoint&kubeapi.MainEndpoint != 0
			if (stores || e.Kind == summary.Refreshed) && u.same(e.Place.Object, o) {
				return stage, flow.Prune
			}
		}
		return stage, flow.Continue
	})
	return found
}

// matters reports whether a change can drop what others have added: only on an
// object that is not being deleted, since the API server lets nobody add to
// one that is. A removal must be known to be from a live object; an addition
// is pointless on any other.
func (u *unit) matters(c change, at *flow.Node) bool {
	kind := c.Type
	if kind == nil {
		kind = finalizers.KindOf(c.Object)
	}
	switch c.Kind {
	case finalizers.Added:
		return !u.SurelyDeleting(u.Unit, c.node, c.Object, kind)
	case finalizers.Removed:
		return u.SurelyLive(u.Unit, c.node, c.Object, kind) || u.SurelyLive(u.Unit, at, c.Object, kind)
	}
	return false
}

// raw reports a patch that is written down and sets the list.
func (u *unit) raw(at *flow.Node, p finalizers.Patch) {
	if p.List.Locked || p.List.Empty() {
		return
	}
	kind := finalizers.KindOf(p.To)
	if u.SurelyDeleting(u.Unit, at, p.To, kind) {
		return
	}
	if p.List.Value != nil && !u.listMatters(at, p) {
		return
	}
	pos, end := source.Span(u.pass.Files, at.Instr)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: rawList,
		Message: fmt.Sprintf("this merge patch replaces the whole list of finalizers of %s: those that other controllers have added are dropped, and their clean-up never runs; add the finalizer with controllerutil.AddFinalizer and send it with client.MergeFromWithOptimisticLock, or put the resourceVersion into the patch",
			strings.TrimSpace(nameOf(kind, p.To))),
	})
}

// listMatters reports whether a list that is computed is the object's own with
// something added, or with something taken off while the object is live.
func (u *unit) listMatters(at *flow.Node, p finalizers.Patch) bool {
	kind, of, ok := u.EditOf(p.List.Value)
	if !ok {
		return false
	}
	object := finalizers.KindOf(of)
	switch kind {
	case finalizers.Added:
		return true
	case finalizers.Removed:
		return u.SurelyLive(u.Unit, at, of, object)
	case finalizers.Replaced: // as it is: what was done to the object counts
		for _, c := range u.changes() {
			if !u.same(c.Object, of) || !u.matters(c, at) {
				continue
			}
			_, found := u.Graph.Search(c.node, 0, summary.Done(c.node), func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
				if n == at {
					return stage, flow.Found
				}
				return stage, flow.Continue
			})
			if found {
				return true
			}
		}
	}
	return false
}

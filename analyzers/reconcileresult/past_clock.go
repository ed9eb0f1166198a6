package reconcileresult

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// forget takes out of what bounds a duration what a reader does not trust, and
// reports whether there was such a thing.
func forget(bounds map[ssa.Value]paths.Truth, distrusted func(ssa.Value) bool) bool {
	forgotten := false
	for v := range bounds {
		if distrusted(v) {
			delete(bounds, v)
			forgotten = true
		}
	}
	return forgotten
}

// readsClockAgain reports whether a condition compares a time with another present
// than the one that what is left was computed with.
func readsClockAgain(v ssa.Value, l left) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	now, _, _ := kubeapi.ComparesNow(call.Common())
	computed, ok := l.at.(*ssa.Call)
	return now != nil && ok && kubeapi.TimeUntil(computed.Common()) != nil &&
		!slices.ContainsFunc(kubeapi.Operands(computed.Common()), func(v ssa.Value) bool { return kubeapi.Present(v) == now })
}

func (c *checker) reportRecomputed(at *ssa.Store, l left) {
	f := rule.Finding{
		Pos: at.Pos(), Category: past, Harm: rule.Hygiene,
		Message: "the object is not looked at again if the time passes between the check and this: what is left is not positive then; compute it once",
		Related: []analysis.RelatedInformation{{Pos: l.at.Pos(), Message: "the clock is read again here"}},
	}
	if value := c.requeueAfterSyntax(at.Pos()); value != nil {
		f.Pos, f.End = value.Pos(), value.End()
	}
	c.report.Report(f)
}

// reversed reports the time that has gone by since a time to come, which is
// always negative.
func (c *checker) reversed(u *objects.Unit) {
	for _, n := range u.Graph.Nodes {
		store := requeueAfterStored(n)
		if store == nil || n.Joins != nil || requeuesAnyway(store) {
			continue
		}
		call, ok := store.Val.(*ssa.Call)
		if !ok {
			continue
		}
		t := kubeapi.TimeSince(call.Common())
		if t == nil || !isToCome(store.Block(), t) {
			continue
		}
		f := rule.Finding{
			Pos: store.Pos(), Category: past,
			Message: "the object is not looked at again: RequeueAfter is negative, since the difference to the time to come is the wrong way round; use time.Until",
		}
		if value := c.requeueAfterSyntax(store.Pos()); value != nil {
			f.Pos, f.End = value.Pos(), value.End()
		}
		c.report.Report(f)
	}
}

// isToCome reports whether a time was found to be after the present one where a
// block runs.
func isToCome(block *ssa.BasicBlock, t ssa.Value) bool {
	for branch, held := range blocks.Decided(block) {
		call, ok := branch.Cond.(*ssa.Call)
		if !ok {
			continue
		}
		if _, other, before := kubeapi.ComparesNow(call.Common()); other != nil && before == held && isSameTime(other, t, 0) {
			return true
		}
	}
	return false
}

// isSameTime reports whether one of two values is the other, or a struct that was
// put together with it.
func isSameTime(v, t ssa.Value, depth int) bool {
	v, t = calls.Behind(v), calls.Behind(t)
	if v == t {
		return true
	}
	alloc, ok := v.(*ssa.Alloc)
	if load, isLoad := v.(*ssa.UnOp); isLoad {
		alloc, ok = load.X.(*ssa.Alloc)
	}
	if !ok || depth > 3 || alloc.Referrers() == nil {
		return false
	}
	if slices.ContainsFunc(calls.StoredInto(alloc), func(stored ssa.Value) bool { return isSameTime(stored, t, depth+1) }) {
		return true
	}
	for _, ref := range *alloc.Referrers() {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsTime(alloc.Type()) {
			continue
		}
		for _, use := range *addr.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == ssa.Value(addr) && isSameTime(store.Val, t, depth+1) {
				return true
			}
		}
	}
	return false
}

// longest returns a time that a loop finds with others in objects, if a value is the
// longest that has gone by since one of them.
func (c *checker) longest(v ssa.Value) ssa.Value {
	if _, merged := v.(*ssa.Phi); !merged {
		return nil
	}
	var t ssa.Value
	for leaf := range merged(v) {
		call, ok := leaf.(*ssa.Call)
		if !ok {
			if _, start := leaf.(*ssa.Const); !start {
				return nil
			}
			continue
		}
		if t = kubeapi.TimeSince(call.Common()); t == nil || !c.isData(t, 0) {
			return nil
		}
	}
	return t
}

// merged returns the values that a merge may be.
func merged(v ssa.Value) map[ssa.Value]bool {
	leaves, seen := make(map[ssa.Value]bool), make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		phi, ok := v.(*ssa.Phi)
		if !ok {
			leaves[v] = true
		} else if !seen[v] {
			seen[v] = true
			for _, edge := range phi.Edges {
				visit(edge)
			}
		}
	}
	visit(v)
	return leaves
}

// isLongest reports whether a comparison asks which of several times has gone by
// for longest.
func isLongest(b *ssa.BinOp, l left) bool {
	if l.most == nil {
		return false
	}
	leaves := merged(l.most)
	among := func(v ssa.Value) bool {
		_, start := v.(*ssa.Const)
		return !start && (leaves[v] || maps.Equal(merged(v), leaves))
	}
	return among(b.X) && among(b.Y)
}

package overdue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// reversed returns what is set to the time that has gone by since a time to come, which
// is always negative.
func (c *Finder) reversed(u *objects.Unit) []Case {
	var cases []Case
	for _, n := range u.Graph.Nodes {
		store := requeueAfterStored(n)
		if store == nil || n.Joins != nil || requeuesAnyway(store) {
			continue
		}
		call, ok := store.Val.(*ssa.Call)
		if !ok {
			continue
		}
		if t := kubeapi.TimeSince(c.Calls.Through(call.Common())); t != nil && isToCome(store.Block(), t) {
			cases = append(cases, Case{Kind: Reversed, At: store})
		}
	}
	return cases
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
	if !ok || depth > 3 {
		return false
	}
	same := func(stored ssa.Value) bool { return isSameTime(stored, t, depth+1) }
	if slices.ContainsFunc(calls.StoredInto(alloc), same) {
		return true
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](alloc) {
		if kubeapi.IsTime(alloc.Type()) && slices.ContainsFunc(calls.StoredInto(addr), same) {
			return true
		}
	}
	return false
}

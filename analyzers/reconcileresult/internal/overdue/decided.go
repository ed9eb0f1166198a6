package overdue

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// decided returns what cannot be positive by what was asked above: the time that has gone
// by since a time to come, and what is left until one that has passed.
func (c *Finder) decided(u *objects.Unit) []Case {
	var cases []Case
	for _, n := range u.Graph.Nodes {
		store := requeueAfterStored(n)
		if store == nil || n.Joins != nil || requeuesAnyway(store) {
			continue
		}
		call, ok := calls.Behind(store.Val).(*ssa.Call)
		if !ok {
			continue
		}
		common := c.Calls.Through(call.Common())
		if t := kubeapi.TimeSince(common); t != nil && whetherToCome(store.Block(), t, nil) == paths.True {
			cases = append(cases, Case{Kind: Reversed, At: store})
		}
		if t := kubeapi.TimeUntil(common); t != nil && whetherToCome(store.Block(), t, call) == paths.False && c.isReturned(u, left{at: call, time: t}, store) {
			cases = append(cases, Case{Kind: Over, At: store, Left: call})
		}
	}
	return cases
}

// isReturned reports whether a store is returned without an error: with one, nobody reads it.
func (c *Finder) isReturned(u *objects.Unit, l left, store *ssa.Store) bool {
	return c.follow(u, l, nil, func(n *paths.Node) ssa.Value {
		if n.Instr == store {
			return store.Val
		}
		return nil
	}) != nil
}

// whetherToCome tells what was found about a time where a block runs: that it is after the present one,
// or not. What is left until then, if it is asked for, must have been computed with the same present, or
// afterwards.
func whetherToCome(block *ssa.BasicBlock, t ssa.Value, until *ssa.Call) paths.Truth {
	for branch, held := range blocks.Decided(block) {
		call, ok := branch.Cond.(*ssa.Call)
		if !ok {
			continue
		}
		now, other, before := kubeapi.ComparesNow(call.Common())
		if other == nil || !isSameTime(other, t, 0) || until != nil && !blocks.Precedes(branch, until) &&
			!slices.ContainsFunc(kubeapi.Operands(until.Common()), func(v ssa.Value) bool { return kubeapi.Present(v) == now }) {
			continue
		}
		return paths.TruthOf(before == held)
	}
	return paths.Unknown
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

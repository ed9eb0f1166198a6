// Package held tells which contexts a variable holds at a node of a graph, where several are
// assigned to it: a literal that was deferred before `ctx, cancel := context.WithTimeout(ctx, d)`
// and captures ctx runs with the one that was assigned last on the way.
package held

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
)

// Covers reports whether the context that a call at a node gets is id or derives from it, as
// [deadlines.Deadlines.Covers] does, whichever way leads to the node.
func Covers(info *deadlines.Deadlines, g *paths.Graph, n *paths.Node, ctx ssa.Value, id deadlines.ID) bool {
	if info.Covers(ctx, id) {
		return true
	}
	load, ok := ctx.(*ssa.UnOp)
	if !ok || len(info.Variable(load)) < 2 {
		return false
	}
	cell, ok := paths.Cell(load.X).(*ssa.Alloc)
	if !ok || storedUnseen(g, cell) {
		return false
	}
	for _, at := range g.At(load) {
		if at.Frame == n.Frame {
			return covered(info, g, at, cell, id)
		}
	}
	return false
}

// covered goes back from a node to the stores into a variable that it may see.
func covered(info *deadlines.Deadlines, g *paths.Graph, at *paths.Node, cell *ssa.Alloc, id deadlines.ID) bool {
	preds := make(map[*paths.Node][]*paths.Node, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, succ := range n.Succs {
			preds[succ] = append(preds[succ], n)
		}
	}
	seen := make(map[*paths.Node]bool)
	queue := preds[at]
	stored := false
	for len(queue) > 0 {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if store, ok := n.Instr.(*ssa.Store); ok && paths.Cell(store.Addr) == ssa.Value(cell) {
			if !info.Covers(store.Val, id) {
				return false
			}
			stored = true
			continue
		}
		if n == g.Entry || n.Instr == ssa.Instruction(cell) {
			return false
		}
		queue = append(queue, preds[n]...)
	}
	return stored
}

// storedUnseen reports whether a literal stores into a variable that the graph does not have, such
// as that of a goroutine.
func storedUnseen(g *paths.Graph, cell *ssa.Alloc) bool {
	for closure := range blocks.UsesOf[*ssa.MakeClosure](cell) {
		literal, ok := closure.Fn.(*ssa.Function)
		if !ok {
			return true
		}
		for i, binding := range closure.Bindings {
			if binding != ssa.Value(cell) {
				continue
			}
			for store := range blocks.Stores(literal.FreeVars[i]) {
				if len(g.At(store)) == 0 {
					return true
				}
			}
		}
	}
	return false
}

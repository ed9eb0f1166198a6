package reconcileresult

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// maxRewriters bounds the functions that hand on a success until one may rewrite it.
const maxRewriters = 3

// rewriter returns the function which may make something else of the success of fn:
// the caller that returns its results unchanged, and has deferred a function that
// stores a requeue or an error over them. It is nil unless all callers do so.
func (c *checker) rewriter(fn *ssa.Function, depth int) *ssa.Function {
	if resultOf(fn) == nil || depth == maxRewriters {
		return nil
	}
	var found *ssa.Function
	for _, site := range c.Calls.Callers(fn) {
		call, ok := site.(*ssa.Call)
		if !ok || !c.handsOn(call) {
			return nil
		}
		by := call.Parent()
		if !c.rewritten(call) {
			by = c.rewriter(by, depth+1)
		}
		if by == nil {
			return nil
		}
		found = by
	}
	return found
}

// handsOn reports whether a declared function returns the two results of a call
// unchanged, deferred functions aside.
func (c *checker) handsOn(call *ssa.Call) bool {
	for ret := range blocks.Returns(call.Parent()) {
		if len(ret.Results) == 2 && slices.Contains(c.results.Pairs(ret.Results[0], ret.Results[1]), call) {
			return call.Parent().Parent() == nil
		}
	}
	return false
}

// rewritten reports whether a deferred function may store a requeue or an error into
// the results after a call that has returned no error. That a write of its own fails, or
// a panic is recovered from, is no reason to expect so: this has nothing to do with the
// call.
func (c *checker) rewritten(call *ssa.Call) bool {
	u := c.Unit(call.Parent())
	cells := namedResults(call.Parent())
	if len(cells) == 0 {
		return false
	}
	assume := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		call := n.Call()
		if call == nil || !isDeferred(n) {
			continue
		}
		if calls.IsBuiltin(call, "recover") && call.Value() != nil {
			assume[call.Value()] = paths.False.WhenComputed()
		}
		if slices.ContainsFunc(u.At(n), func(e objects.Event) bool { return e.Kind == objects.Written }) {
			for _, err := range paths.Results(n, kubeapi.IsError) {
				assume[err] = paths.False.WhenComputed()
			}
		}
	}
	return slices.ContainsFunc(u.Graph.At(call), func(n *paths.Node) bool {
		for _, err := range paths.Results(n, kubeapi.IsError) {
			assume[err] = paths.False
		}
		_, found := u.Graph.Search(u.Graph.Answered(n), 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if store, ok := at.Instr.(*ssa.Store); ok && isDeferred(at) && known.Of(store.Val) != paths.False && asksAgain(store, cells) {
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		return found
	})
}

// namedResults returns the variables that a function returns the values of.
func namedResults(fn *ssa.Function) []ssa.Value {
	var cells []ssa.Value
	for ret := range blocks.Returns(fn) {
		for _, v := range ret.Results {
			if load, ok := v.(*ssa.UnOp); ok {
				if cell := paths.Cell(load.X); cell != nil {
					cells = append(cells, cell)
				}
			}
		}
	}
	return cells
}

// asksAgain reports whether a store puts something into a result, or into a field of
// it, that is not empty.
func asksAgain(store *ssa.Store, cells []ssa.Value) bool {
	addr := store.Addr
	if field, ok := addr.(*ssa.FieldAddr); ok {
		addr = field.X
	}
	return slices.Contains(cells, paths.Cell(addr)) && !literals.IsZero(store.Val)
}

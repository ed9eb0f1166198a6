package calls

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// maxAround bounds the functions of [Graph.Around].
const maxAround = 60

// Around returns functions, those of the package that call them, and those that all these
// call: what was thought of nearby. Up and down say over how many calls.
func (g *Graph) Around(fns []*ssa.Function, up, down int) []*ssa.Function {
	var found []*ssa.Function
	add := func(fn *ssa.Function) {
		if fn != nil && len(found) < maxAround && !slices.Contains(found, fn) {
			found = append(found, fn)
		}
	}
	widen := func(levels int, from []*ssa.Function, step func(*ssa.Function)) {
		for range levels {
			before := len(found)
			for _, fn := range from {
				step(fn)
			}
			from = slices.Clone(found[before:])
		}
	}
	for _, fn := range fns {
		add(fn)
	}
	widen(up, slices.Clone(found), func(fn *ssa.Function) {
		for _, call := range g.Callers(fn) {
			add(call.Parent())
		}
	})
	widen(down, slices.Clone(found), func(fn *ssa.Function) {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for _, target := range g.Callees(call).Funcs {
				add(target)
			}
		}
	})
	return found
}

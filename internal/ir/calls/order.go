package calls

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// BottomUp orders the declared functions and literals of the package so that
// callees come before their callers where there is no recursion. Nobody may change
// the order, which all passes share.
func (g *Graph) BottomUp() []*ssa.Function {
	g.ordering.Do(func() { g.order = g.bottomUp() })
	return g.order
}

func (g *Graph) bottomUp() []*ssa.Function {
	var order []*ssa.Function
	done := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if done[fn] || len(fn.Blocks) == 0 {
			return
		}
		done[fn] = true
		for _, literal := range fn.AnonFuncs {
			visit(literal)
		}
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for _, callee := range g.Callees(call).Funcs {
				visit(callee)
			}
		}
		order = append(order, fn)
	}
	for _, fn := range g.Funcs {
		visit(fn)
	}
	return order
}

package calls

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// BottomUp orders the declared functions and literals of the package so that
// callees come before their callers where there is no recursion.
func (g *Graph) BottomUp() []*ssa.Function {
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
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, callee := range g.Callees(call).Funcs {
						visit(callee)
					}
				}
			}
		}
		order = append(order, fn)
	}
	for _, fn := range g.Funcs {
		visit(fn)
	}
	return order
}

// Follows reports whether an instruction can run after another one of the same
// function; after itself only in a loop.
func Follows(first, then ssa.Instruction) bool {
	if first.Block() == then.Block() {
		instrs := first.Block().Instrs
		if slices.Index(instrs, first) < slices.Index(instrs, then) {
			return true
		}
	}
	from, to := first.Block(), then.Block()
	if from.Parent() != to.Parent() {
		return false
	}
	if from != to && from.Dominates(to) {
		return true // the way from the entry to it passes here
	}
	// Many ask this for many pairs in one function: blocks are numbered.
	seen := make([]bool, len(from.Parent().Blocks))
	stack := slices.Clone(from.Succs)
	for len(stack) > 0 {
		block := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if block == to {
			return true
		}
		if !seen[block.Index] {
			seen[block.Index] = true
			stack = append(stack, block.Succs...)
		}
	}
	return false
}

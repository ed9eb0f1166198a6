package nestedtimeout

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// worksAfter reports whether something that takes time may run between two
// calls; in different functions, that cannot be told, and counts as no.
func (c *checker) worksAfter(from, to *ssa.Call) bool {
	return from.Parent() == to.Parent() && c.worksBetween(from, to)
}

// worksBetween reports whether something that takes time may run between two
// calls of one function.
func (c *checker) worksBetween(from, to *ssa.Call) bool {
	g := c.info.Graphs.Of(from.Parent())
	for _, start := range g.At(from) {
		_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Instr == ssa.Instruction(to) {
				if stage == 1 {
					return stage, paths.Found
				}
				return stage, paths.Prune
			}
			if c.takesTime(n) {
				stage = 1
			}
			return stage, paths.Continue
		})
		if found {
			return true
		}
	}
	return false
}

// takesTime reports whether a node may take long: all calls do that are not
// known not to, and what waits for a channel.
func (c *checker) takesTime(n *paths.Node) bool {
	if call, ok := n.Instr.(*ssa.Defer); ok {
		return n.Deferred && c.callTakesTime(call, 0)
	}
	return c.instrTakesTime(n.Instr, 0)
}

func (c *checker) instrTakesTime(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.Select, *ssa.Send:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Call:
		return c.callTakesTime(instr, depth)
	}
	return false
}

// maxBrief bounds the functions of the package that are looked into.
const maxBrief = 3

func (c *checker) callTakesTime(call ssa.CallInstruction, depth int) bool {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin || kubeapi.IsCancel(common.Value.Type()) {
		return false
	}
	if kubeapi.IsHarmless(kubeapi.Callee(common)) {
		return false
	}
	targets := c.calls.Callees(call)
	return !targets.Closed || depth >= maxBrief || slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
		return c.funcTakesTime(fn, depth+1)
	})
}

// funcTakesTime reports whether something in a function may take long, or is done in
// a loop.
func (c *checker) funcTakesTime(fn *ssa.Function, depth int) bool {
	for instr := range blocks.Instrs(fn) {
		deferred, isDefer := instr.(*ssa.Defer)
		if isDefer && c.callTakesTime(deferred, depth) || c.instrTakesTime(instr, depth) {
			return true
		}
	}
	return len(fn.Blocks) == 0 || len(loops.Of(fn)) > 0
}

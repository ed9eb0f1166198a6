package nestedtimeout

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

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
	g := c.info.Graph(from.Parent())
	for _, start := range g.At(from) {
		_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Instr == ssa.Instruction(to) {
				if stage == 1 {
					return stage, paths.Found
				}
				return stage, paths.Prune
			}
			if takesTime(n) {
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
func takesTime(n *paths.Node) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Select, *ssa.Send:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Defer:
		return n.Deferred && callTakesTime(instr)
	case *ssa.Call:
		return callTakesTime(instr)
	}
	return false
}

func callTakesTime(call ssa.CallInstruction) bool {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin || kubeapi.IsCancel(common.Value.Type()) {
		return false
	}
	return !kubeapi.IsHarmless(kubeapi.Callee(common))
}

package endlessloops

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// waysTo describes the branch that leads to a block of the loop from which the
// process ends, as a way out.
func waysTo(loop *loops.Loop, block *ssa.BasicBlock) loops.Exit {
	for branch, holds := range decidedIn(loop, block) {
		return loops.Exit{From: branch.Block(), To: blocks.Side(branch, holds), Cond: branch.Cond, When: holds}
	}
	return loops.Exit{From: block, To: block}
}

// neverReturns reports whether an instruction calls a function that ends the
// process, or one of the package that does nothing but that in the end. Those of
// other packages of the user's are told by their names.
func (c *loopCheck) neverReturns(instr ssa.Instruction) bool {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		// A variable that is os.Exit but for tests.
		return slices.ContainsFunc(c.Graph.Callees(call).External, func(e calls.External) bool { return kubeapi.NoReturn(e.Func) })
	}
	ending := func(word string) bool { return strings.Contains(callee.Name(), word) }
	if callee.Signature().Results().Len() == 0 && slices.ContainsFunc([]string{"Fatal", "Exit", "Panic", "Die", "Terminate"}, ending) {
		return true
	}
	targets := c.Graph.Callees(call)
	return targets.Closed && len(targets.Funcs) == 1 && !returns(targets.Funcs[0])
}

// returns reports whether a function has a return.
func returns(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(block *ssa.BasicBlock) bool {
		_, ok := blocks.Last(block).(*ssa.Return)
		return ok && (block.Index == 0 || len(block.Preds) > 0)
	})
}

// endsProcess reports whether the code around fn ends the process by itself,
// as a goroutine does that waits for the stop channel and exits.
func (c *loopCheck) endsProcess(fn *ssa.Function) bool {
	return literalEnds(paths.Outermost(fn))
}

func literalEnds(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.AnonFuncs, func(literal *ssa.Function) bool {
		return waitsForSignal(literal) && exits(literal) || literalEnds(literal)
	})
}

// exits reports whether a function literal ends the process.
func exits(literal *ssa.Function) bool {
	return calls.Names(literal, func(callee *types.Func) bool { return kubeapi.FullName(callee) == "os.Exit" })
}

// waitsForSignal reports whether a function literal waits for a channel other
// than a timer's.
func waitsForSignal(literal *ssa.Function) bool {
	return blocks.Any(literal, func(instr ssa.Instruction) bool {
		wait, ok := loops.WaitOf(instr)
		return ok && !wait.Timed
	})
}

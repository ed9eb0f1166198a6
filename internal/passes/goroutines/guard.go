package goroutines

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxBlocks bounds the functions in which checks are looked for: in a larger
// one, which nobody wrote by hand, whatever starts something counts as guarded.
const maxBlocks = 2_000

// guarded reports whether at, an instruction that starts a goroutine or calls
// something that does, runs only if some remembered state says that nothing
// runs yet, or after what ran before was stopped, or within a bounded number
// of slots. inside is what the goroutine does, as far as it is known; handles is
// the state through which it can be stopped.
func (a *analysisState) guarded(at ssa.Instruction, inside *body, handles handles) bool {
	fn := at.Parent()
	if len(fn.Blocks) > maxBlocks {
		return true
	}
	return a.startedOnce(fn, at, inside) || a.previousStopped(fn, at, handles) || a.registered(fn, at, inside) || a.slotTaken(fn, at, inside)
}

// startedOnce looks for a check that decides whether at runs, of a state that
// is claimed in this function, in what it calls, or by the goroutine.
func (a *analysisState) startedOnce(fn *ssa.Function, at ssa.Instruction, inside *body) bool {
	for block, checked := range a.decisions(at) {
		if checked.claimed || a.confirmed(fn, at, checked.asked) {
			return true
		}
		if len(checked.keys) == 0 {
			continue
		}
		claims := a.claims(fn, onWay(block, at.Block()), inside)
		for key := range checked.keys {
			if claims[key] || checked.slots[key] && a.fills(key, inside) {
				return true
			}
		}
	}
	return false
}

// decisions yields the blocks whose branches decide whether at runs, with the state that
// they ask about.
func (a *analysisState) decisions(at ssa.Instruction) iter.Seq2[*ssa.BasicBlock, *checks] {
	return func(yield func(*ssa.BasicBlock, *checks) bool) {
		for _, block := range at.Parent().Blocks {
			branch, ok := blocks.Last(block).(*ssa.If)
			if !ok || !decides(block, at.Block()) {
				continue
			}
			checked := &checks{a: a, keys: make(map[stateKey]bool), seen: make(map[ssa.Value]bool), asked: make(map[*ssa.Function]bool), slots: make(map[stateKey]bool)}
			checked.visit(branch.Cond, 0)
			if !yield(block, checked) {
				return
			}
		}
	}
}

// fills reports whether a goroutine takes a slot of a channel of which it was
// asked before how full it is.
func (a *analysisState) fills(channel stateKey, inside *body) bool {
	return slices.ContainsFunc(inside.instrs, func(in located) bool {
		taken, sent := slot(in.instr)
		return taken != nil && sent && a.stateOf(taken) == channel
	})
}

// decides reports whether the branch at the end of block determines whether
// target runs: it dominates it, and one of its ways avoids it.
func decides(block, target *ssa.BasicBlock) bool {
	if len(block.Succs) != 2 || !block.Dominates(target) || block == target {
		return false
	}
	return !blocks.LeadAround(block.Succs[:1], target, block) || !blocks.LeadAround(block.Succs[1:], target, block)
}

// confirmed reports whether fn, after at, asks one of the questions again that
// decided whether at runs: it does not return before the answer has changed,
// or has given up waiting for it.
func (a *analysisState) confirmed(fn *ssa.Function, at ssa.Instruction, asked map[*ssa.Function]bool) bool {
	if len(asked) == 0 {
		return false
	}
	polls := func(instr ssa.Instruction, _ *env) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		return slices.ContainsFunc(a.graph.Callees(call).Funcs, func(callee *ssa.Function) bool { return asked[callee] })
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !blocks.Follows(at, call) || !kubeapi.IsPoll(kubeapi.Callee(call.Common())) {
			continue
		}
		if a.walkFrom(call, polls) {
			return true
		}
	}
	return false
}

// onWay returns the blocks that run along with target: those before the branch
// at the end of block, and those after it on target's side.
func onWay(block, target *ssa.BasicBlock) func(*ssa.BasicBlock) bool {
	side := make(map[*ssa.BasicBlock]bool)
	var stack []*ssa.BasicBlock
	for i, succ := range block.Succs {
		if blocks.LeadAround(block.Succs[i:i+1], target, block) {
			stack = append(stack, succ)
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b == block || side[b] {
			continue
		}
		side[b] = true
		stack = append(stack, b.Succs...)
	}
	return func(b *ssa.BasicBlock) bool { return side[b] || b.Dominates(block) }
}

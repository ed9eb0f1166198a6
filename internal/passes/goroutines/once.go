package goroutines

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// Once reports whether an instruction runs only if remembered state says that
// it has not run yet: a flag, a map of what runs, a nil check, a test and set;
// or after what an earlier run has started was stopped. claims are the
// instructions of the function that note it in that state, where that is
// known: one that an early return passes by leaves the door open.
func (i *Starts) Once(at ssa.CallInstruction) (once bool, claims []ssa.Instruction) {
	if i.state == nil {
		return false, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	a, fn := i.state, at.Parent()
	for _, block := range fn.Blocks {
		branch, ok := blocks.Last(block).(*ssa.If)
		if !ok || !decides(block, at.Block()) {
			continue
		}
		checked := &checks{a: a, keys: make(map[stateKey]bool), seen: make(map[ssa.Value]bool), asked: make(map[*ssa.Function]bool), slots: make(map[stateKey]bool)}
		checked.visit(branch.Cond, 0)
		if checked.claimed || a.confirmed(fn, at, checked.asked) {
			return true, nil
		}
		claims = append(claims, a.claimsOf(fn, onWay(block, at.Block()), checked.keys)...)
	}
	if len(claims) > 0 {
		return true, claims
	}
	s := &Spawn{Call: at, args: make(map[*ssa.Parameter]ssa.Value)}
	return a.previousStopped(fn, at, a.handlesOf(s, &body{})), nil
}

// claimsOf returns the instructions in the wanted blocks that write one of the
// keys, themselves or by what they call in the package.
func (a *analysisState) claimsOf(fn *ssa.Function, wanted func(*ssa.BasicBlock) bool, keys map[stateKey]bool) []ssa.Instruction {
	if len(keys) == 0 {
		return nil
	}
	var found []ssa.Instruction
	for _, block := range fn.Blocks {
		if !wanted(block) {
			continue
		}
		for _, instr := range block.Instrs {
			written := make(map[stateKey]bool)
			a.writesOf(instr, written)
			if call, ok := instr.(ssa.CallInstruction); ok && len(written) == 0 {
				for _, callee := range a.graph.Callees(call).Funcs {
					maps.Copy(written, a.writtenBy(callee))
				}
			}
			if overlap(written, keys) {
				found = append(found, instr)
			}
		}
	}
	return found
}

// writtenBy returns the state that fn writes, itself or by what it calls.
func (a *analysisState) writtenBy(fn *ssa.Function) map[stateKey]bool {
	known, ok := a.below[fn]
	if !ok {
		known = make(map[stateKey]bool)
		a.writtenBelow(fn, known, make(map[*ssa.Function]bool), 0)
		a.below[fn] = known
	}
	return known
}

// writtenBelow adds what writtenBy returns.
func (a *analysisState) writtenBelow(fn *ssa.Function, into map[stateKey]bool, seen map[*ssa.Function]bool, depth int) {
	if seen[fn] || depth > maxLook {
		return
	}
	seen[fn] = true
	for key := range a.writes(fn) {
		into[key] = true
	}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		for _, callee := range a.graph.Callees(call).Funcs {
			a.writtenBelow(callee, into, seen, depth+1)
		}
	}
}

// overlap reports whether two sets have a key in common.
func overlap(a, b map[stateKey]bool) bool {
	for key := range a {
		if b[key] {
			return true
		}
	}
	return false
}

package goroutines

import (
	"golang.org/x/tools/go/ssa"
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
	for block, checked := range a.decisions(at) {
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

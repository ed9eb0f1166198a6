package endlessloops

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// limitOf returns the step that makes a context with a deadline which was meant
// to end the loop: it was made in the loop's function before the loop, from one
// that nothing ends, and is used in the loop or after it, but not before. fails
// is the call in the loop that takes it, if there is one.
func (c *loopCheck) limitOf(loop *loops.Loop, fails *ssa.Call) *contexts.Step {
	if fails != nil {
		_, args := kubeapi.Args(fails.Common())
		for _, arg := range args {
			if !kubeapi.IsContext(arg.Type()) {
				continue
			}
			for _, origin := range c.Contexts.Origins(arg) {
				for i := range origin.Steps {
					if step := &origin.Steps[i]; step.Kind == contexts.Timeout && step.Call != nil {
						return step
					}
				}
			}
		}
		return nil
	}
	for call := range blocks.InstrsOf[*ssa.Call](loop.Head.Parent()) {
		if loop.Blocks[call.Block()] || !call.Block().Dominates(loop.Head) {
			continue
		}
		if _, _, _, ok := kubeapi.TimeoutOf(call.Common()); ok && usedOnlyFrom(call, loop.Head) {
			return &contexts.Step{Call: call, Kind: contexts.Timeout}
		}
	}
	return nil
}

// usedOnlyFrom reports whether the context that a call makes is used, and not
// before head.
func usedOnlyFrom(call *ssa.Call, head *ssa.BasicBlock) bool {
	used := false
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		if !kubeapi.IsContext(extract.Type()) {
			continue
		}
		for use := range blocks.Uses(extract) {
			if !head.Dominates(use.Block()) {
				return false
			}
			used = true
		}
	}
	return used
}

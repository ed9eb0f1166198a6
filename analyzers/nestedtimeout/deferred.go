package nestedtimeout

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// deferred reports cancel functions that are deferred in a loop.
func (c *checker) deferred(fn *ssa.Function) {
	for call := range blocks.InstrsOf[*ssa.Defer](fn) {
		loop := loopOf(call)
		if loop == nil {
			continue
		}
		if made := c.cancelled(call); made != nil && made.Parent() == fn && loop.Blocks[made.Block()] {
			pos, end := c.span(call)
			c.report.Report(rule.Finding{
				Pos: pos, End: end, Category: deferInLoop,
				Message: fmt.Sprintf("each round leaves its context behind until %s returns, since the cancel is deferred in a loop; call it at the end of the round",
					outermost(fn)),
				Harm: leftBehind(loop),
			})
		}
	}
}

// leftBehind is next to nothing where the loop ends, and the function soon after: each
// timer ends by itself, too.
func leftBehind(loop *loops.Loop) rule.Harm {
	never := func(ssa.Value) bool { return false }
	if loop.NeverLeft() || loop.LeftOnlyWhenTold(never) {
		return 0
	}
	return rule.Hygiene
}

// outermost names a function for messages.
func outermost(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "the function literal"
	}
	return fn.Name()
}

// cancelled returns the call that made the context which a deferred call
// cancels, itself, in a function literal, or in a function that it is handed to,
// or nil.
func (c *checker) cancelled(call *ssa.Defer) *ssa.Call {
	common := call.Common()
	if common.IsInvoke() {
		return nil
	}
	if kubeapi.IsCancel(common.Value.Type()) {
		made, _ := c.info.CancelledBy(common.Value).(*ssa.Call)
		return made
	}
	closure, ok := common.Value.(*ssa.MakeClosure)
	if !ok {
		return c.cancelledBy(call)
	}
	fn, ok := closure.Fn.(*ssa.Function)
	if !ok {
		return nil
	}
	for inner := range blocks.InstrsOf[*ssa.Call](fn) {
		if inner.Common().IsInvoke() || !kubeapi.IsCancel(inner.Common().Value.Type()) {
			continue
		}
		if made, ok := c.info.CancelledBy(inner.Common().Value).(*ssa.Call); ok {
			return made
		}
	}
	return nil
}

// cancelledBy is [checker.cancelled] for a function that is handed what cancels the
// context.
func (c *checker) cancelledBy(call *ssa.Defer) *ssa.Call {
	does := c.info.Of(call)
	if does == nil {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	for _, index := range does.Cancels {
		if index >= len(operands) {
			continue
		}
		if made, ok := c.info.CancelledBy(operands[index]).(*ssa.Call); ok {
			return made
		}
	}
	return nil
}

package nestedtimeout

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// timeouts looks at each timeout that a function sets and at that of the
// context which it sets it on.
func (c *checker) timeouts(fn *ssa.Function) {
	for instr := range blocks.Instrs(fn) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		t, ok := c.info.TimeoutAt(call)
		if !ok {
			c.throughCall(call)
			continue
		}
		switch {
		case t.Derives && c.shrinksInLoop(t):
			c.reportShrinkingLoop(t)
		case c.nestedIn(t):
		default:
			c.overridden(t)
		}
	}
}

// contextOf returns the context that a call returns, or nil.
func contextOf(call *ssa.Call) ssa.Value {
	if kubeapi.IsContext(call.Type()) {
		return call
	}
	if call.Referrers() == nil {
		return nil
	}
	for _, ref := range *call.Referrers() {
		if extract, ok := ref.(*ssa.Extract); ok && kubeapi.IsContext(extract.Type()) {
			return extract
		}
	}
	return nil
}

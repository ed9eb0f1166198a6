package nestedtimeout

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// timeouts looks at each timeout that a function sets and at that of the
// context which it sets it on.
func (c *checker) timeouts(fn *ssa.Function) {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		t, ok := c.info.TimeoutAt(call)
		if !ok {
			c.throughCall(call)
			continue
		}
		switch {
		case c.mistaken(t):
		case t.Derives && c.shrinksInLoop(t):
			c.reportShrinkingLoop(t)
		case c.nestedIn(t):
		default:
			c.overridden(t)
		}
	}
}

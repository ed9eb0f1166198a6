package nestedtimeout

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// shrinksInLoop reports whether a timeout is set, round after round, on the
// context of the round before.
func (c *checker) shrinksInLoop(t deadlines.Timeout) bool {
	loop := loopOf(t.Call)
	if loop == nil {
		return false
	}
	own := deadlines.ContextResult(t.Call)
	if own == nil {
		return false
	}
	seen := make(map[ssa.Value]bool)
	var from func(v ssa.Value, depth int) bool
	from = func(v ssa.Value, depth int) bool {
		if v == own {
			return true
		}
		if seen[v] || depth > 12 {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Phi:
			for _, edge := range v.Edges {
				if from(edge, depth+1) {
					return true
				}
			}
		case *ssa.ChangeInterface:
			return from(v.X, depth+1)
		case *ssa.UnOp:
			for _, stored := range c.info.Variable(v) {
				if from(stored, depth+1) {
					return true
				}
			}
		case *ssa.Call:
			return fromArgument(v, from, depth)
		case *ssa.Extract:
			if call, ok := v.Tuple.(*ssa.Call); ok {
				return fromArgument(call, from, depth)
			}
		}
		return false
	}
	return from(t.Parent, 0)
}

// fromArgument follows a context that a call derives to the one that it gets.
func fromArgument(call *ssa.Call, from func(ssa.Value, int) bool, depth int) bool {
	if kubeapi.IsWithoutCancel(kubeapi.Callee(call.Common())) {
		return false
	}
	parent, _, ok := kubeapi.DerivedContext(call.Common())
	return ok && parent != nil && from(parent, depth+1)
}

// loopOf returns the innermost loop that runs an instruction, or nil.
func loopOf(instr ssa.Instruction) *loops.Loop {
	var inner *loops.Loop
	for _, l := range loops.Of(instr.Parent()) {
		if l.Blocks[instr.Block()] && (inner == nil || len(l.Blocks) < len(inner.Blocks)) {
			inner = l
		}
	}
	return inner
}

func (c *checker) reportShrinkingLoop(t deadlines.Timeout) {
	pos, end := c.syntax.span(t.Call)
	own := c.syntax.duration(t.Call, t.After, t.Known)
	name := c.syntax.name(t.Call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: shrinking,
		Message: fmt.Sprintf("all rounds together get the first %s: each derives %s from that of the round before; derive it from the context outside the loop", own, name),
	})
}

// sameVariable reports whether two calls assign their contexts to one variable.
func (c *checker) sameVariable(a, b *ssa.Call) bool {
	x, y := c.syntax.call(a), c.syntax.call(b)
	if x == nil || y == nil || x == y {
		return false
	}
	v := c.syntax.assigned[x]
	return v != nil && v == c.syntax.assigned[y]
}

// usedBesides reports whether the context that a call derives has uses besides
// being the parent of the one that next derives.
func (c *checker) usedBesides(call, next *ssa.Call) bool {
	ctx := deadlines.ContextResult(call)
	if ctx == nil || ctx.Referrers() == nil {
		return false
	}
	for _, ref := range *ctx.Referrers() {
		if _, debug := ref.(*ssa.DebugRef); !debug && ref != ssa.Instruction(next) {
			return true
		}
	}
	return false
}

// reportShrinkingStep reports the second of two steps that share a variable.
func (c *checker) reportShrinkingStep(t deadlines.Timeout, link *deadlines.Link) {
	pos, end := c.syntax.span(t.Call)
	first := c.syntax.at(link.Call.Pos(), pos)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: shrinking,
		Message: fmt.Sprintf("this step does not get %s, but what is left of the %s that %s was given on %s; derive it from the context before that",
			c.syntax.duration(t.Call, t.After, t.Known), c.syntax.duration(link.Call, link.After, link.Known), c.syntax.name(t.Call), first),
	})
}

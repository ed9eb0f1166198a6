package nestedtimeout

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// shrinksInLoop reports whether a timeout is set, round after round, on the
// context of the round before.
func (c *checker) shrinksInLoop(t deadlines.Timeout) bool {
	own := deadlines.ContextResult(t.Call)
	if own == nil || loopOf(t.Call) == nil {
		return false
	}
	derived := values.Relation{Steps: values.Converted | values.Merged, More: func(v ssa.Value) []ssa.Value {
		if load, ok := v.(*ssa.UnOp); ok {
			return c.info.Variable(load)
		}
		call, _ := calls.CallOf(v)
		if call == nil || kubeapi.IsWithoutCancel(kubeapi.Callee(call.Common())) {
			return nil
		}
		if parent, _, ok := kubeapi.DerivedContext(call.Common()); ok && parent != nil {
			return []ssa.Value{parent}
		}
		return nil
	}}
	return derived.Any(t.Parent, func(v ssa.Value) bool { return v == own })
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
	pos, end := c.span(t.Call)
	own := c.duration(t.Call, t.After, t.Known)
	name := c.name(t.Call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: shrinking,
		Message: fmt.Sprintf("all rounds together get the first %s: each derives %s from that of the round before; derive it from the context outside the loop", own, name),
	})
}

// sameVariable reports whether two calls assign their contexts to one variable.
func (c *checker) sameVariable(a, b *ssa.Call) bool {
	v := c.holds(a)
	return a != b && v != nil && v == c.holds(b)
}

// usedBesides reports whether the context that a call derives has uses besides
// being the parent of the one that next derives.
func (c *checker) usedBesides(call, next *ssa.Call) bool {
	ctx := deadlines.ContextResult(call)
	return ctx != nil && slices.ContainsFunc(*ctx.Referrers(), func(ref ssa.Instruction) bool { return ref != ssa.Instruction(next) })
}

// reportShrinkingStep reports the second of two steps that share a variable.
func (c *checker) reportShrinkingStep(t deadlines.Timeout, link *deadlines.Link) {
	pos, end := c.span(t.Call)
	first := c.at(link.Call.Pos(), pos)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: shrinking,
		Message: fmt.Sprintf("this step does not get %s, but what is left of the %s that %s was given on %s; derive it from the context before that",
			c.duration(t.Call, t.After, t.Known), c.duration(link.Call, link.After, link.Known), c.name(t.Call), first),
	})
}

package nestedtimeout

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// overridden reports a timeout whose context has no use but as the parent of
// one shorter timeout.
func (c *checker) overridden(t deadlines.Timeout) {
	if !t.Derives || !t.Known {
		return
	}
	ctx := deadlines.ContextResult(t.Call)
	if ctx == nil {
		return
	}
	inner, ok := blocks.SoleUse(ctx).(*ssa.Call)
	if !ok || inner.Parent() != t.Call.Parent() || inLoopWithout(inner, t.Call) || c.work.Between(t.Call, inner) {
		return
	}
	after, where := time.Duration(0), ""
	if shorter, ok := c.info.TimeoutAt(inner); ok {
		if !shorter.Known || shorter.Parent != ctx {
			return
		}
		after, where = shorter.After, c.at(inner.Pos(), t.Call.Pos())
	} else if given := c.onlyGiven(inner, ctx); given != nil {
		after, where = given.After, given.Where
	}
	if after <= 0 || after >= t.After {
		return
	}
	pos, end := c.span(t.Call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: outerOverridden,
		Message: fmt.Sprintf("the timeout of %s never matters: its context only leads to one that ends after %s (%s); keep one of the two",
			wording.Duration(t.After), wording.Duration(after), where),
		Related: []analysis.RelatedInformation{{Pos: inner.Pos(), Message: "the timeout that ends first"}},
	})
}

// onlyGiven returns the timeout that a function gives to the context, if that
// is all that it does with it. It is asked for with the strict flag: a caller
// need not know what a function does inside.
func (c *checker) onlyGiven(call *ssa.Call, ctx ssa.Value) *deadlines.Given {
	b := c.info.Of(call)
	if b == nil || !c.report.Strict() {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	for n := range b.Timeouts {
		given := &b.Timeouts[n]
		if given.Only && given.Param < len(operands) && operands[given.Param] == ctx {
			return given
		}
	}
	return nil
}

// inLoopWithout reports whether a loop repeats instr and not other.
func inLoopWithout(instr, other ssa.Instruction) bool {
	return slices.ContainsFunc(loops.Of(instr.Parent()), func(l *loops.Loop) bool {
		return l.Blocks[instr.Block()] && !l.Blocks[other.Block()]
	})
}

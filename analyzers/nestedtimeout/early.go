package nestedtimeout

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/report/rule"
)

// early reports contexts that are cancelled while something that was got with
// them is still used, or goes to the caller.
func (c *checker) early(fn *ssa.Function) {
	g := c.info.Graphs.Of(fn)
	if !c.cancelsAny(g) {
		return
	}
	for _, n := range g.Nodes {
		for _, lent := range c.info.LentAt(n) {
			id := c.info.IDOf(lent.Ctx)
			if id == nil {
				continue
			}
			use, end, result, ok := c.info.Outlives(g, lent, id)
			if !ok {
				continue
			}
			c.reportEarly(lent, use, end, result)
		}
	}
}

func (c *checker) cancelsAny(g *paths.Graph) bool {
	for _, n := range g.Nodes {
		for _, end := range c.info.EndsAt(g, n) {
			if end.How != deadlines.Waited {
				return true
			}
		}
	}
	return false
}

func (c *checker) reportEarly(lent deadlines.Lent, use *paths.Node, end deadlines.End, result int) {
	where := use.Instr.Pos()
	if result >= 0 {
		where = lent.At.Instr.Pos()
	}
	if !where.IsValid() {
		return
	}
	at := c.at(end.Pos, where)
	f := rule.Finding{
		Pos: where, Category: cancelledEarly,
		Related: []analysis.RelatedInformation{{Pos: end.Pos, Message: "cancels the context"}},
	}
	if call, ok := lent.At.Instr.(ssa.CallInstruction); ok && result >= 0 {
		f.Pos, f.End = c.span(call)
	}
	if result >= 0 {
		f.Message = fmt.Sprintf("the caller cannot use %s: the context that it needs is cancelled before (%s); cancel when the caller is done with it", lent.What, at)
	} else {
		f.Message = fmt.Sprintf("%s fails or stops at once: it is used after its context was cancelled (%s); cancel when it has been used", lent.What, at)
	}
	c.report.Report(f)
}

// goroutines reports goroutines that do one piece of work with a context that
// the function cancels as it returns, at once, or before it waits for them.
func (c *checker) goroutines(fn *ssa.Function) {
	g := c.info.Graphs.Of(fn)
	for _, lost := range c.work.Left(g) {
		pos := lost.Start.Pos()
		c.report.Report(rule.Finding{
			Pos: pos, Category: cancelledEarly,
			Message: fmt.Sprintf("%s in this goroutine fails: its context ends when %s returns (%s), which does not wait; give it a context of its own",
				c.what(lost.Use), outermost(fn), c.at(lost.End.Pos, pos)),
			Related: []analysis.RelatedInformation{{Pos: lost.End.Pos, Message: "cancels the context"}},
		})
	}
	for _, lost := range c.work.Stopped(g) {
		pos := lost.End.Pos
		c.report.Report(rule.Finding{
			Pos: pos, Category: alreadyDone,
			Message: fmt.Sprintf("%s in the goroutine of %s fails: its context is cancelled here, before the wait for it (%s); cancel after that",
				c.what(lost.Use), c.at(lost.Start.Pos(), pos), c.at(lost.Wait.Pos(), pos)),
			Related: []analysis.RelatedInformation{{Pos: lost.Start.Pos(), Message: "starts the goroutine"}, {Pos: lost.Wait.Pos(), Message: "waits for it"}},
		})
	}
}

// what names the operation that needs a context.
func (c *checker) what(use deadlines.Use) string {
	if use.What != "" {
		return use.What
	}
	return c.callee(use.Call)
}

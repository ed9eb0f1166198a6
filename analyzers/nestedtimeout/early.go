package nestedtimeout

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
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
	at := c.syntax.at(end.Pos, where)
	f := rule.Finding{
		Pos: where, Category: cancelledEarly,
		Related: []analysis.RelatedInformation{{Pos: end.Pos, Message: "cancels the context"}},
	}
	if call, ok := lent.At.Instr.(ssa.CallInstruction); ok && result >= 0 {
		f.Pos, f.End = c.syntax.span(call)
	}
	if result >= 0 {
		f.Message = fmt.Sprintf("the caller cannot use %s: the context that it needs is cancelled before (%s); cancel when the caller is done with it", lent.What, at)
	} else {
		f.Message = fmt.Sprintf("%s fails or stops at once: it is used after its context was cancelled (%s); cancel when it has been used", lent.What, at)
	}
	c.report.Report(f)
}

// goroutines reports goroutines that do one piece of work with a context that
// the function cancels as it returns, at once.
func (c *checker) goroutines(fn *ssa.Function) {
	g := c.info.Graphs.Of(fn)
	for _, n := range g.Nodes {
		start, ok := n.Instr.(*ssa.Go)
		if !ok || start.Parent() != fn {
			continue
		}
		use, ok := c.oneWork(start)
		if !ok {
			continue
		}
		id := c.info.IDOf(use.Ctx)
		if id == nil {
			continue
		}
		var end deadlines.End
		_, found := g.Search(n, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			for _, e := range c.info.EndsAt(g, n) {
				if e.ID == id && e.How == deadlines.Cancelled {
					end = e
					return stage, paths.Found
				}
			}
			if c.takesTime(n) {
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if !found || c.waitsAfter(g, n) {
			continue
		}
		pos := start.Pos()
		what := c.syntax.callee(use.Call)
		if use.What != "" {
			what = use.What
		}
		c.report.Report(rule.Finding{
			Pos: pos, Category: cancelledEarly,
			Message: fmt.Sprintf("%s in this goroutine fails: its context ends when %s returns (%s), which does not wait; give it a context of its own",
				what, outermost(fn), c.syntax.at(end.Pos, pos)),
			Related: []analysis.RelatedInformation{{Pos: end.Pos, Message: "cancels the context"}},
		})
	}
}

// waitsAfter reports whether something that takes time may run after a node:
// the function may then be waiting for the goroutine, or the goroutine be there
// to accompany it.
func (c *checker) waitsAfter(g *paths.Graph, start *paths.Node) bool {
	_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if c.takesTime(n) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

// oneWork returns what a goroutine needs a context for, if it does one piece
// of work and tells nobody when it is done.
func (c *checker) oneWork(start *ssa.Go) (deadlines.Use, bool) {
	targets := c.calls.Callees(start)
	if len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 {
		return deadlines.Use{}, false
	}
	body := targets.Funcs[0]
	if len(loops.Of(body)) > 0 {
		return deadlines.Use{}, false
	}
	g := c.info.Graphs.Of(body)
	var use deadlines.Use
	found := false
	for _, n := range g.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.Select, *ssa.Send:
			return use, false
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				return use, false
			}
		case ssa.CallInstruction:
			common := instr.Common()
			if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() == "close" || kubeapi.IsWaitGroupDone(kubeapi.Callee(common)) {
				return use, false
			}
		}
		if at, ok := c.info.UseOf(n); ok && !at.Derives && !found {
			use, found = at, true
		}
	}
	if !found || body.Parent() != nil {
		return use, found
	}
	// A declared function: what it needs is told by its parameters.
	b := c.info.Of(start)
	if b == nil {
		return use, false
	}
	operands := kubeapi.Operands(start.Common())
	for _, need := range b.Needs {
		if need.Param < len(operands) {
			return deadlines.Use{Call: start, Ctx: operands[need.Param], What: need.What, Where: need.Where, Shuts: need.Shuts}, true
		}
	}
	return use, false
}

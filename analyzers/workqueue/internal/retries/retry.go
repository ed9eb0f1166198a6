// Package retries finds items that come back at once after a failure, and those whose failures are never forgotten.
package retries

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report finds where an item that has failed is added again at once.
func Report(in *subject.Checker, w *subject.Worker) {
	c := &checker{in}
	if c.paced(w.Get.Parent(), 0) {
		return
	}
	for _, op := range c.Queues.Ops {
		if op.Verb != kubeapi.QueueAdd || op.Helper != nil || op.Call() == nil || !w.Items.Has(op.Item) ||
			!c.Queues.MayBeSame(op.Queue, w.Queue) {
			continue
		}
		why, at, limited := c.failure(w, op)
		if why == nil || c.waits(op.Instr) || c.waits(at) || endsWorker(at) {
			continue
		}
		c.reportHot(w, op, why, limited)
	}
}

// failure returns the error because of which an item is added again, or nil if
// it is another reason, or a certain kind of error, and the instruction that is
// reached because of it. limited tells that NumRequeues is asked before.
func (c *checker) failure(w *subject.Worker, op *queues.Op) (err ssa.Value, at ssa.Instruction, limited bool) {
	why := queues.ReasonFor(op.Instr)
	if why.Kind || why.Invalid || why.Retries {
		return nil, nil, false
	}
	if why.Err != nil {
		return why.Err, op.Instr, asksRequeues(op.Instr)
	}
	// The function is handed the item because it has failed.
	fn := op.Instr.Parent()
	for _, h := range w.Items.Calls {
		if h.Target != fn {
			continue
		}
		why := queues.ReasonFor(h.Site)
		if why.Kind || why.Err == nil || len(c.Graph.Callers(fn)) != 1 {
			return nil, nil, false
		}
		return why.Err, h.Site, false
	}
	return nil, nil, false
}

// asksRequeues reports whether NumRequeues decides about an instruction.
func asksRequeues(at ssa.Instruction) bool {
	for branch := range blocks.Above(at.Block()) {
		if cmp, ok := branch.Cond.(*ssa.BinOp); ok && (queues.IsRequeues(cmp.X) || queues.IsRequeues(cmp.Y)) {
			return true
		}
	}
	return false
}

// waits reports whether a function lets time pass somewhere: then the item does
// not come back at once, or it may not.
func (c *checker) waits(instr ssa.Instruction) bool {
	for at := range blocks.Instrs(instr.Parent()) {
		switch at := at.(type) {
		case *ssa.Call:
			if _, ok := kubeapi.Sleep(at.Common()); ok {
				return true
			}
			if fn := kubeapi.Callee(at.Common()); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "golang.org/x/time/rate" {
				return true
			}
		case *ssa.Select, *ssa.UnOp:
			for _, operand := range at.Operands(nil) {
				if _, ok := kubeapi.TimerChannel(*operand); ok {
					return true
				}
			}
		}
	}
	return false
}

// endsWorker reports whether the function returns false after an instruction,
// which ends the loop around it: wait.Until begins again a period later.
func endsWorker(instr ssa.Instruction) bool {
	block := instr.Block()
	for range 8 {
		switch last := blocks.Last(block).(type) {
		case *ssa.Return:
			if len(last.Results) != 1 {
				return false
			}
			result := last.Results[0]
			if load, ok := result.(*ssa.UnOp); ok {
				// Kept in a variable while deferred calls run.
				result = calls.StoredLast(last, load.X)
			}
			more, ok := kubeapi.ConstBool(result)
			return ok && !more
		case *ssa.Jump:
			block = block.Succs[0]
		default:
			return false
		}
	}
	return false
}

// paced reports whether a worker that takes one item is called periodically, itself or
// by a function that does nothing else: then the period is what a failed item waits for.
func (c *checker) paced(fn *ssa.Function, depth int) bool {
	if inLoop(fn) {
		return false
	}
	for _, entry := range c.Entries.Of(fn) {
		if entry.Kind == kubeapi.Periodic && !c.immediately(fn) {
			return true
		}
	}
	sites := c.Graph.OnlyCallers(fn)
	return depth < maxPaced && len(sites) > 0 && !slices.ContainsFunc(sites, func(call ssa.CallInstruction) bool {
		return call.Parent() == fn || !c.paced(call.Parent(), depth+1)
	})
}

// maxPaced bounds the calls between what runs periodically and the worker.
const maxPaced = 3

// inLoop reports whether fn has a loop around the place where it takes an item.
func inLoop(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(block *ssa.BasicBlock) bool {
		return slices.ContainsFunc(block.Succs, func(succ *ssa.BasicBlock) bool { return succ.Dominates(block) })
	})
}

// immediately reports whether fn is handed to something together with a period
// of zero.
func (c *checker) immediately(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.EdgesTo(fn), func(edge entrypoints.Edge) bool {
		return slices.ContainsFunc(edge.Site.Common().Args, func(arg ssa.Value) bool {
			return kubeapi.IsDuration(arg.Type()) && literals.IsZero(arg)
		})
	})
}

func (c *checker) reportHot(w *subject.Worker, op *queues.Op, err ssa.Value, limited bool) {
	pos, end := syntax.Span(c.Pass.Files, op.Instr)
	remedy := "use AddRateLimited"
	if !kubeapi.RateLimits(op.Queue.Type()) {
		remedy = "make it a rate limiting queue and use AddRateLimited"
	}
	limit := ""
	if limited {
		limit = ", and NumRequeues stays 0"
	}
	var fix *analysis.SuggestedFix
	// Without Forget each failure would make it wait longer, forever.
	if kubeapi.RateLimits(op.Queue.Type()) && end.IsValid() && c.forgotten(op) {
		fix = &analysis.SuggestedFix{
			Message:   "Use AddRateLimited",
			TextEdits: []analysis.TextEdit{{Pos: pos, End: end, NewText: []byte("AddRateLimited")}},
		}
	}
	related := []analysis.RelatedInformation{{Pos: w.Get.Pos(), Message: "the item is taken off here"}}
	if err.Pos().IsValid() {
		related = append(related, analysis.RelatedInformation{Pos: err.Pos(), Message: "it fails here"})
	}
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.HotRetry,
		Message: fmt.Sprintf("an item that keeps failing floods the API server: %s puts it back at once%s; %s", c.Called(op.Instr), limit, remedy),
		Related: related,
		Fix:     fix,
	})
}

// forgotten reports whether the package has the queue forget items.
func (c *checker) forgotten(op *queues.Op) bool {
	return slices.ContainsFunc(c.Queues.Ops, func(other *queues.Op) bool {
		return other.Verb == kubeapi.QueueForget && c.Queues.MayBeSame(other.Queue, op.Queue)
	})
}

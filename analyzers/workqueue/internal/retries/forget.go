package retries

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// ReportForgotten finds queues that items are added to rate limited, and that are
// never told that an item has succeeded.
func ReportForgotten(in *subject.Checker) {
	c := &checker{in}
	for _, made := range c.Queues.Made {
		if made.Limiter != kubeapi.PerItem {
			continue
		}
		ops, all := made.Ops()
		if !all {
			continue
		}
		var add, forget, done *queues.Op
		success, gets, ordinary := false, false, false
		for _, op := range ops {
			switch op.Verb {
			case kubeapi.QueueGet:
				gets = true
			case kubeapi.QueueAddRateLimited:
				add = earlier(add, op)
				ordinary = ordinary || op.Call() != nil && queues.ReasonFor(op.Instr).Err == nil
			case kubeapi.QueueForget:
				forget = earlier(forget, op)
				success = success || op.Helper != nil || op.Call() == nil || queues.ReasonFor(op.Instr).IsSuccess()
			case kubeapi.QueueDone:
				done = earlier(done, op)
			case kubeapi.QueueAddOther:
				success = true // its options may say so
			}
		}
		if add == nil || success || !gets || c.Blamed(kubeapi.QueueForget, made.Call) {
			continue
		}
		c.reportForget(add, forget, done, ordinary)
	}
}

// earlier is the one of two operations that comes first, the place to report; there need be no first yet.
func earlier(first, op *queues.Op) *queues.Op {
	if first == nil || op.Instr.Pos() < first.Instr.Pos() {
		return op
	}
	return first
}

// reportForget words a finding. What grows is the number of items that have ever been added
// so: that is of note where it is the ordinary way to add one, or where somebody has thought of Forget. The
// few that fail are soon seen again.
func (c *checker) reportForget(add, forget, done *queues.Op, ordinary bool) {
	pos, end := syntax.Span(c.Pass.Files, add.Instr)
	queue := c.QueueName(add)
	never := fmt.Sprintf("nothing calls %s.Forget", queue)
	var related []analysis.RelatedInformation
	if forget != nil {
		never = fmt.Sprintf("%s.Forget runs only after failures (line %d)", queue, c.Line(forget.Instr.Pos()))
		related = append(related, analysis.RelatedInformation{Pos: forget.Instr.Pos(), Message: "Forget after a failure"})
	}
	if done != nil {
		related = append(related, analysis.RelatedInformation{Pos: done.Instr.Pos(), Message: "the item is done here, and not forgotten"})
	}
	var harm rule.Harm
	if !ordinary && forget == nil {
		harm = rule.Hygiene
	}
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NoForget, Harm: harm,
		Message: fmt.Sprintf("each item that has ever failed stays in memory and waits longer at each failure: %s; call it on success", never),
		Related: related,
	})
}

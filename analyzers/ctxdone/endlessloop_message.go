package ctxdone

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/loops"
	"github.com/opvet/opvet/internal/rule"
)

// reportLoop words a finding.
func (c *loopCheck) reportLoop(f *endless) {
	finding := rule.Finding{Category: "endless-loop", Message: c.fact(f) + c.consequence(f) + "; " + c.remedy(f)}
	if stmt := f.loop.Stmt(); stmt != nil {
		finding.Pos = stmt.Pos()
	} else {
		finding.Pos = firstPos(f.loop)
	}
	c.report.Report(finding)
}

func firstPos(loop *loops.Loop) token.Pos {
	for _, block := range loop.Ordered() {
		for _, instr := range block.Instrs {
			if instr.Pos().IsValid() {
				return instr.Pos()
			}
		}
	}
	return loop.Head.Parent().Pos()
}

// fact says what the loop does when it should end.
func (c *loopCheck) fact(f *endless) string {
	switch {
	case f.fails != nil:
		return fmt.Sprintf("this loop retries for ever once the context of %s has ended, since the call fails each time then", calleeName(f.fails))
	case f.success && f.hand == nil:
		return "nothing but success ends this loop"
	case f.success:
		return fmt.Sprintf("nothing but success ends this loop, not even %s", c.handName(f.hand))
	case f.hand == nil:
		return "nothing ends this loop"
	}
	return fmt.Sprintf("nothing ends this loop, not even %s", c.handName(f.hand))
}

func calleeName(call *ssa.Call) string { return entrypoint.CalleeName(call) }

// handName names the context or stop channel, and who has it.
func (c *loopCheck) handName(h *hand) string {
	what := "the context"
	if h.Stop {
		what = "the stop channel"
	}
	if h.Expr != "" {
		what += " " + h.Expr
	}
	if h.Blank {
		what += " that " + h.Param.Parent().Name() + " gets and does not name"
	}
	return what
}

// consequence says what that means in production.
func (c *loopCheck) consequence(f *endless) string {
	if f.path == nil {
		if f.hand != nil && f.hand.started {
			return ": its goroutine goes on working when what started it has been told to stop"
		}
		return ": shutdown hangs until the process is killed"
	}
	route := f.path.Entry.Description() + " " + f.path.Route(c.pass.Fset)
	switch f.path.Entry.Kind {
	case kubeapi.Reconcile, kubeapi.Sync, kubeapi.Worker:
		return fmt.Sprintf(": it holds a worker of the queue all the while (%s)", route)
	case kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc:
		return fmt.Sprintf(": no further event is delivered all the while (%s)", route)
	case kubeapi.Admission, kubeapi.HTTPHandler:
		return fmt.Sprintf(": requests that nobody waits for pile up (%s)", route)
	case kubeapi.Runnable, kubeapi.LeaderCallback:
		return fmt.Sprintf(": it keeps working after leadership was lost, and shutdown hangs until the process is killed (%s)", route)
	}
	return fmt.Sprintf(": shutdown hangs until the process is killed (%s)", route)
}

// remedy says what to do instead.
func (c *loopCheck) remedy(f *endless) string {
	if f.hand == nil {
		if f.fails != nil {
			return "return when the context's Err is not nil"
		}
		return "return an error, and let the queue retry with back-off"
	}
	expr := f.hand.Expr
	if expr == "" {
		expr = "ctx"
		if f.hand.Stop {
			expr = "stop"
		}
	}
	done := expr
	if !f.hand.Stop {
		done += ".Done()"
	}
	verb := "select on"
	if f.hand.by != f.loop.Head.Parent() {
		verb = "pass it on and select on"
	}
	for _, wait := range f.loop.Waits() {
		switch wait.Instr.(type) {
		case *ssa.Select:
			return fmt.Sprintf("add a case for %s that returns", done)
		case *ssa.UnOp:
			return fmt.Sprintf("%s %s beside the channel, and return", verb, done)
		case *ssa.Call:
			return fmt.Sprintf("%s %s and time.After instead of sleeping, and return", verb, done)
		}
	}
	if f.hand.Stop {
		return fmt.Sprintf("return when %s is closed", expr)
	}
	return fmt.Sprintf("return when %s.Err() is not nil", expr)
}

// spinMessage words a case on a context's Done that does not leave the loop.
func spinMessage(state *ssa.SelectState) string {
	return "this case does not leave the loop: once the context has ended it is always ready, so the loop spins at full speed and never returns; " +
		"return from the case, or break to a label (a bare break leaves only the select)"
}

package ctxdone

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/loops"
	"github.com/opvet/opvet/internal/rule"
)

// reportLoop words a finding.
func (c *loopCheck) reportLoop(f *endless) {
	finding := rule.Finding{Category: "endless-loop", Message: c.fact(f) + c.consequence(f) + "; " + c.remedy(f)}
	if !f.success && f.fails == nil && takesItems(f.loop) {
		finding.Message = deafWorkerMessage
	}
	if stmt := f.loop.Stmt(); stmt != nil {
		finding.Pos = stmt.Pos()
	} else {
		finding.Pos = firstPos(f.loop)
	}
	c.report.Report(finding)
	c.unit.endless = append(c.unit.endless, f.loop)
}

const deafWorkerMessage = "this worker does not notice that its queue was shut down: Get returns at once from then on, so the loop spins at full speed and never returns; " +
	"return when the last result of Get is true"

// takesItems reports whether a loop takes items off a workqueue.
func takesItems(loop *loops.Loop) bool {
	for _, block := range loop.Ordered() {
		for _, instr := range block.Instrs {
			if call, ok := instr.(*ssa.Call); ok && kubeapi.IsQueueGet(kubeapi.Callee(call.Common())) {
				return true
			}
		}
	}
	return false
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
	listensTo := ""
	switch {
	case f.fails != nil:
		ended := "context of %s has ended"
		if !takesContext(f.fails) {
			ended = "channel of %s has been closed"
		}
		outcome := "fails each time"
		if !returnsError(f.fails) {
			outcome = "returns false at once"
		}
		return fmt.Sprintf("this loop retries for ever once the "+ended+", since the call %s then", entrypoint.CalleeName(f.fails), outcome)
	case f.hand != nil:
		listensTo = ", not even " + handName(f.hand)
	case f.limit != nil:
		listensTo = fmt.Sprintf(", not even the deadline set on line %d", c.pass.Fset.Position(f.limit.Call.Pos()).Line)
	}
	if f.success {
		return "nothing but success ends this loop" + listensTo
	}
	return "nothing ends this loop" + listensTo
}

func takesContext(call *ssa.Call) bool {
	_, args := kubeapi.Args(call.Common())
	return slices.ContainsFunc(args, func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) })
}

// handName names the context or stop channel, and who has it.
func handName(h *hand) string {
	what := "the context"
	if h.Stop {
		what = "the stop channel"
	}
	switch {
	case h.Blank:
		return what + " that " + nameOf(h.Param.Parent()) + " gets and does not name"
	case h.started && h.Kind != contexts.FromField:
		return what + " " + h.Expr + " of the function that starts it"
	}
	return what + " " + h.Expr
}

func nameOf(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "the function literal"
	}
	return fn.Name()
}

// consequence says what that means in production.
func (c *loopCheck) consequence(f *endless) string {
	if f.path == nil {
		switch {
		case f.hand != nil && f.hand.started:
			return ": the goroutine goes on working when what started it has been told to stop"
		case f.hand == nil && f.limit != nil:
			return ": it goes on long after the time is up"
		}
		return ": shutdown hangs until the process is killed"
	}
	route := f.path.Route(c.pass.Fset)
	kind := f.path.Entry.Kind
	switch {
	case kind.PerItem() && holdsUp(f.path):
		return fmt.Sprintf(": it holds a worker of the queue all the while (%s)", route)
	case kind.PerEvent() && holdsUp(f.path):
		return fmt.Sprintf(": no further event is delivered all the while (%s)", route)
	case kind == kubeapi.Admission, kind == kubeapi.HTTPHandler:
		return fmt.Sprintf(": requests that nobody waits for pile up (%s)", route)
	case (kind == kubeapi.Runnable || kind == kubeapi.LeaderCallback) && f.hand != nil && f.hand.started:
		return fmt.Sprintf(": it goes on working after leadership was lost (%s)", route)
	case kind == kubeapi.Runnable, kind == kubeapi.LeaderCallback:
		return fmt.Sprintf(": it goes on working after leadership was lost, and shutdown waits for it until the process is killed (%s)", route)
	}
	return fmt.Sprintf(": it goes on until the process is killed (%s)", route)
}

// remedy says what to do instead.
func (c *loopCheck) remedy(f *endless) string {
	if f.success && holdsUp(f.path) && f.path.Entry.Kind.PerItem() {
		return "return and let the queue try again later"
	}
	expr := "ctx"
	if f.hand != nil {
		switch {
		case f.hand.Expr != "":
			expr = f.hand.Expr
		case f.hand.Stop:
			expr = "stop"
		}
	}
	done := expr + ".Done()"
	asks := expr + ".Err() is not nil"
	if f.hand == nil {
		done = "the context's Done"
		asks = "the context's Err is not nil"
	}
	if f.hand != nil && f.hand.Stop {
		done, asks = expr, expr+" is closed"
	}
	verb := ""
	if f.hand != nil && f.hand.by != f.loop.Head.Parent() && !f.hand.captured(f.loop.Head.Parent()) {
		verb = "hand " + expr + " on, and "
	}
	if call := accepts(f.loop); call != nil {
		return "return when " + entrypoint.CalleeName(call) + " fails, as it does when the listener is closed"
	}
	for _, wait := range f.loop.Waits() {
		switch wait.Instr.(type) {
		case *ssa.Select:
			return verb + "add a case for " + done + " that returns"
		case *ssa.UnOp:
			return verb + "wait in a select with a case for " + done + " that returns"
		case *ssa.Call:
			return verb + "wait for time.After in a select with a case for " + done + " that returns"
		}
	}
	return verb + "return when " + asks
}

// accepts returns the call by which a loop takes connections off a listener, or
// nil.
func accepts(loop *loops.Loop) *ssa.Call {
	for _, block := range loop.Ordered() {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			if callee := kubeapi.Callee(call.Common()); callee != nil && strings.HasPrefix(callee.Name(), "Accept") && callee.Pkg() != nil && callee.Pkg().Path() == "net" {
				return call
			}
		}
	}
	return nil
}

// captured reports whether the code of fn can use the context as it stands: fn
// is a literal in the function that has it.
func (h *hand) captured(fn *ssa.Function) bool {
	for at := fn.Parent(); at != nil; at = at.Parent() {
		if at == h.by {
			return true
		}
	}
	return false
}

// spinMessage words a case on a context's Done that does not leave the loop.
func spinMessage() string {
	return "this case does not leave the loop: once the context has ended the case is always ready, and the loop spins at full speed; " +
		"return from the case, or break to a label, since a bare break leaves only the select"
}

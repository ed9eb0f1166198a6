package endlessloops

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// reportLoop words a finding.
func (c *loopCheck) reportLoop(f *endless) {
	finding := rule.Finding{
		Category: "endless-loop", Harm: c.loopHarm(f),
		Message: fmt.Sprintf("%s: %s; %s", c.consequence(f), c.fact(f), c.remedy(f)),
	}
	if h := f.hand; h != nil && h.Kind == contexts.FromParam && !h.Stop && h.Param != nil {
		finding.Given = h.Param.Pos()
	}
	if f.path != nil {
		finding.Related = f.path.Related()
	}
	who, where := c.waitedFor(f)
	switch {
	case f.polls:
		finding.Message = fmt.Sprintf("%s holds its worker as long as this loop waits for what it wants to see, and nothing limits that; %s", f.path.Entry.Name(), requeue(f.path))
	case who != "":
		finding.Message = fmt.Sprintf("%s waits forever: %s; %s", who, c.fact(f), c.remedy(f))
		subject.KeepWaiting(&finding, where)
	case !f.success && f.fails == nil && takesItems(f.loop):
		finding.Message = deafWorkerMessage
	}
	if stmt := f.loop.Stmt(); stmt != nil {
		finding.Pos = stmt.Pos()
	} else {
		finding.Pos = firstPos(f.loop)
	}
	c.Report.Report(finding)
	c.Endless = append(c.Endless, f.loop)
}

const deafWorkerMessage = "this worker spins at full speed once its queue is shut down, since Get returns at once then; return when its last result is true"

// loopHarm tells who waits for a loop that nothing ends. Those that hold a worker, a handler or
// a request forever are the ones that people mend, and those that a deadline was to end. One that each event or item starts
// anew is a leak. For all others the end of the process is the end: a shutdown that hangs is
// cut short by the kubelet, or by whoever exits when the lead is lost.
func (c *loopCheck) loopHarm(f *endless) rule.Harm {
	switch {
	case !f.success && c.worksOff(f.loop), c.awaitsServer(f.loop):
		return rule.Hygiene // the queue is shut down when the process ends
	case subject.HoldsUp(f.path):
		return rule.Stuck
	case f.path != nil && (slices.Contains(subject.Again, f.path.Entry.Kind) || f.path.Entry.Kind == kubeapi.Watch):
		return rule.Leak
	case f.path == nil && f.limit != nil && (f.hand == nil || !f.hand.started):
		return rule.Stuck
	}
	return rule.Hygiene
}

// requeue says what to do instead of holding a worker.
func requeue(path *entrypoints.Path) string {
	if path.Entry.Kind == kubeapi.Reconcile {
		return "look once, and requeue with RequeueAfter"
	}
	return "look once, and put the key back with AddAfter"
}

// waitedFor says who waits in vain for the end of a loop, once it has told it to end. A loop that
// the API server's answer ends, or success, is over some day.
func (c *loopCheck) waitedFor(f *endless) (who string, where []analysis.RelatedInformation) {
	if f.hand == nil || f.success || f.polls || c.awaitsServer(f.loop) {
		return "", nil
	}
	return c.Awaited(f.loop.Head.Instrs[0])
}

// takesItems reports whether a loop takes items off a workqueue.
func takesItems(loop *loops.Loop) bool { return callsAny(loop, kubeapi.IsQueueGet) != nil }

// callsAny returns the first call of a function of a sort in a loop, or nil.
func callsAny(loop *loops.Loop, is func(*types.Func) bool) *ssa.Call {
	for call := range loops.InstrsOf[*ssa.Call](loop) {
		if is(kubeapi.Callee(call.Common())) {
			return call
		}
	}
	return nil
}

// worksOff reports whether a loop takes items off a workqueue itself, or in what it calls.
func (c *loopCheck) worksOff(loop *loops.Loop) bool {
	if takesItems(loop) {
		return true
	}
	for call := range loops.InstrsOf[*ssa.Call](loop) {
		if slices.ContainsFunc(c.Graph.Callees(call).Funcs, func(target *ssa.Function) bool {
			return blocks.Any(target, func(inner *ssa.Call) bool { return kubeapi.IsQueueGet(kubeapi.Callee(inner.Common())) })
		}) {
			return true
		}
	}
	return false
}

func firstPos(loop *loops.Loop) token.Pos {
	for instr := range loops.InstrsOf[ssa.Instruction](loop) {
		if instr.Pos().IsValid() {
			return instr.Pos()
		}
	}
	return loop.Head.Parent().Pos()
}

// fact says why the loop does not end.
func (c *loopCheck) fact(f *endless) string {
	ends := "nothing ends this loop"
	switch {
	case f.fails != nil && kubeapi.IsCachedRead(f.fails.Common()) && callsAny(f.loop, tellsNotFound) != nil && c.holdsWorker(f): // it hardly fails otherwise
		return fmt.Sprintf("unless %s answers NotFound, nothing ends this loop", entrypoints.CalleeName(f.fails))
	case f.fails != nil && kubeapi.CanFail(f.fails.Common().Signature()) && c.holdsWorker(f): // the context ends long after that
		return fmt.Sprintf("if %s keeps failing, nothing ends this loop", entrypoints.CalleeName(f.fails))
	case f.fails != nil:
		end, outcome := "its context has ended", "fails"
		if !takesContext(f.fails) {
			end = "its channel is closed"
		}
		if !kubeapi.CanFail(f.fails.Common().Signature()) {
			outcome = "returns false"
		}
		return fmt.Sprintf("once %s, %s %s at once and this loop retries forever", end, entrypoints.CalleeName(f.fails), outcome)
	case f.success:
		ends = "nothing but success ends this loop"
	}
	switch {
	case f.hand != nil:
		return ends + ", not even " + handName(f.hand)
	case f.limit != nil:
		return ends + fmt.Sprintf(", not even the deadline set on line %d", c.Pass.Fset.Position(f.limit.Call.Pos()).Line)
	}
	return ends
}

// holdsWorker reports whether a loop holds the worker of a queue.
func (c *loopCheck) holdsWorker(f *endless) bool {
	return subject.HoldsUp(f.path) && f.path.Entry.Kind.PerItem()
}

func takesContext(call *ssa.Call) bool {
	_, args := kubeapi.Args(call.Common())
	return slices.ContainsFunc(args, func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) })
}

// handName names the context or stop channel, and who has it.
func handName(h *hand) string {
	switch {
	case h.Blank && h.Stop:
		return "the unnamed stop channel of " + subject.NameOf(h.Param.Parent())
	case h.Blank:
		return "the unnamed context of " + subject.NameOf(h.Param.Parent())
	case h.started && h.Kind != contexts.FromField:
		return h.Expr + " of what starts it"
	}
	return h.Expr
}

// consequence says what that means in production.
func (c *loopCheck) consequence(f *endless) string {
	if f.path == nil {
		switch {
		case f.hand != nil && f.hand.started:
			return "this goroutine outlives what started it"
		case f.hand == nil && f.limit != nil:
			return "this goes on when time is up"
		}
		return "shutdown hangs"
	}
	name, kind := f.path.Entry.Name(), f.path.Entry.Kind
	switch {
	case kind.PerItem() && subject.HoldsUp(f.path):
		return name + " holds its worker forever"
	case kind.PerEvent() && subject.HoldsUp(f.path):
		return name + " keeps all later events waiting"
	case kind == kubeapi.Admission, kind == kubeapi.HTTPHandler:
		return "requests that nobody waits for pile up in " + name
	case kind == kubeapi.Runnable, kind == kubeapi.LeaderCallback:
		return "work goes on after leadership is lost"
	}
	return "this outlives its context"
}

// remedy says what to do instead.
func (c *loopCheck) remedy(f *endless) string {
	if (f.success || f.fails != nil && kubeapi.CanFail(f.fails.Common().Signature())) && c.holdsWorker(f) {
		return "return and let the queue try again later"
	}
	expr, done, asks := "", "the context's Done", "the context's Err is not nil"
	if h := f.hand; h != nil && h.Stop {
		expr = cmp.Or(h.Expr, "stop")
		done, asks = expr, expr+" is closed"
	} else if h != nil {
		expr = cmp.Or(h.Expr, "ctx")
		done, asks = expr+".Done()", expr+".Err() is not nil"
	}
	verb := ""
	if f.hand != nil && f.hand.by != f.loop.Head.Parent() && !f.hand.captured(f.loop.Head.Parent()) {
		verb = "hand " + expr + " on, and "
	}
	if call := callsAny(f.loop, accepts); call != nil {
		return "return when " + entrypoints.CalleeName(call) + " fails"
	}
	for _, wait := range f.loop.Waits() {
		switch wait.Instr.(type) {
		case *ssa.Select:
			return verb + "add a case for " + done + " that returns"
		case *ssa.UnOp, *ssa.Call:
			return verb + "wait in a select with " + done
		}
	}
	return verb + "return when " + asks
}

// accepts reports whether a function takes connections off a listener.
func accepts(fn *types.Func) bool {
	return fn != nil && strings.HasPrefix(fn.Name(), "Accept") && fn.Pkg() != nil && fn.Pkg().Path() == "net"
}

// captured reports whether the code of fn can use the context as it stands: fn
// is a literal in the function that has it.
func (h *hand) captured(fn *ssa.Function) bool { return fn != h.by && blocks.Within(fn, h.by) }

// spinMessage words a case on a context's Done that does not leave the loop.
const spinMessage = "this loop spins at full speed once the context has ended: the case does not leave it, and a break leaves only the select; return from the case"

package ctxdone

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/drops"
	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkDroppedStops reports the pollers, loops and informers that are given
// something that never ends although a context or stop channel is at hand, and
// the pollers that take neither.
func checkDroppedStops(in *subject.Unit) {
	u := &unit{in}
	info := u.Pass.ResultOf[waits.Analyzer].(*waits.Waits)
	dropped := u.Pass.ResultOf[drops.Analyzer].(*drops.Drops)
	elsewhere := make(map[string]bool) // a call in another package is reported once
	for _, fn := range u.Graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			d := dropped.At(call)
			if d == nil || d.Elsewhere != nil && elsewhere[d.Elsewhere.Where] {
				continue
			}
			if u.droppedStop(info, fn, &droppedStop{Drop: d}) && d.Elsewhere != nil {
				elsewhere[d.Elsewhere.Where] = true
			}
		}
	}
}

// droppedStop is a call that nothing ends, and who is kept waiting.
type droppedStop struct {
	*drops.Drop
	answers waits.Answers
}

func (u *unit) droppedStop(info *waits.Waits, fn *ssa.Function, d *droppedStop) (reported bool) {
	d.answers = info.Answers(fn, d.Call)
	if d.answers.Source == nil || info.IsOver(d.Call) || info.Along(&waits.Pause{At: d.Call}, d.answers).Over || u.onlyDeferred(fn) {
		return false
	}
	owner := fn // of the context
	if d.answers.Caller != nil {
		owner = d.answers.Caller
	}
	doubtful, bad := u.badDrop(owner, d)
	if !bad || doubtful && !u.Report.Strict() {
		return false
	}
	u.Report.Report(u.dropFinding(fn, d))
	return true
}

// onlyDeferred reports whether a function is run by defer statements alone: it cleans
// up.
func (u *unit) onlyDeferred(fn *ssa.Function) bool {
	callers := u.Graph.OnlyCallers(fn)
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
		return !u.Graph.Everywhere(call, func(at *calls.Site) bool {
			_, deferred := at.Instruction.(*ssa.Defer)
			return deferred
		})
	})
}

// badDrop decides about one call; owner has the context.
func (u *unit) badDrop(owner *ssa.Function, d *droppedStop) (doubtful, bad bool) {
	perCall := subject.Held(d.answers) || subject.IsRequest(d.answers.Source)
	switch {
	case perCall && !d.Blocking:
		// What is started there may be meant to outlive the request.
		return false, false
	case d.Soon, subject.Private(d.answers.Source):
		return true, true
	case !d.Blocking && !d.answers.Source.Stop && !runs(d.answers) && !u.runsThings(owner):
		// The context may be that of a call which only starts something.
		return true, true
	}
	return false, true
}

// runs reports whether a function is reached from something that the manager
// runs, so that its context is that of the process.
func runs(a waits.Answers) bool {
	return a.Path != nil && (a.Path.Entry.Kind == kubeapi.Runnable || a.Path.Entry.Kind == kubeapi.LeaderCallback)
}

// runsThings reports whether a function waits for its context, or gives it to
// what goes on until it ends: it is the context of something that runs, and not
// of a call.
func (u *unit) runsThings(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		var until ssa.Value
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				until = instr.X
			}
		case ssa.CallInstruction:
			if w, ok := kubeapi.WaitCall(instr.Common()); ok && !w.Poller && !w.Synced {
				until = w.Until
			}
		}
		if until == nil || !kubeapi.IsContext(until.Type()) && !kubeapi.IsStopChannel(until.Type()) {
			continue
		}
		if slices.ContainsFunc(u.Contexts.Origins(until), func(o contexts.Origin) bool { return o.Kind == contexts.Param && !o.Derived(contexts.Timeout) }) {
			return true
		}
	}
	return false
}

func (u *unit) dropFinding(fn *ssa.Function, d *droppedStop) rule.Finding {
	f := rule.Finding{Pos: d.Call.Pos(), Category: "stop-dropped", Harm: rule.Hygiene, Fix: u.dropFix(fn, d)}
	until := "forever"
	if !d.Forever {
		until = "until its timeout"
	}
	f.Message = fmt.Sprintf("%s goes on %s when %s has ended: %s; %s", d.Name(), until, u.ContextName(d.answers), d.given(), u.dropRemedy(d))
	if d.answers.Path != nil && subject.Held(d.answers) {
		f.Related = d.answers.Path.Related()
	}
	if who, where := u.waitedFor(d); who != "" {
		f.Message = fmt.Sprintf("%s waits forever: %s goes on when %s has ended, since %s; %s", who, d.Name(), u.ContextName(d.answers), d.given(), u.dropRemedy(d))
		subject.KeepWaiting(&f, where)
	}
	if path := u.holder(fn, d); path != nil {
		f.Message = fmt.Sprintf("%s %s as long as the answer is no: %s has no timeout; %s", path.Entry.Name(), holds(path), d.Name(), later(path))
		f.Harm, f.Related, f.Fix = rule.Stuck, path.Related(), nil
	}
	return f
}

// later says what to do instead of holding somebody up.
func later(path *entrypoints.Path) string {
	switch kind := path.Entry.Kind; {
	case kind == kubeapi.Reconcile:
		return "ask once, and requeue with RequeueAfter"
	case kind.PerItem():
		return "ask once, and put the key back with AddAfter"
	}
	return "use wait.PollUntilContextTimeout"
}

// waitedFor says who waits in vain for the goroutine in which a call goes on forever.
func (u *unit) waitedFor(d *droppedStop) (who string, where []analysis.RelatedInformation) {
	w, takes := kubeapi.WaitCall(d.Call.Common())
	if !d.Forever || !d.Blocking || d.Poller || takes && w.Synced {
		return "", nil
	}
	return u.Awaited(d.Call)
}

// holder is the way from an entry point whose worker, handler or request a poller without a timeout
// holds until its answer is yes; nil if there is none.
func (u *unit) holder(fn *ssa.Function, d *droppedStop) *entrypoints.Path {
	if !d.Poller || !d.Forever || !d.Blocking {
		return nil
	}
	path := u.Entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Sync, kubeapi.Worker, kubeapi.EventHandler, kubeapi.Admission)
	if !subject.HoldsUp(path) {
		return nil
	}
	return path
}

// holds says what that does: those who hold a worker for who knows how long are what people mend.
func holds(path *entrypoints.Path) string {
	switch kind := path.Entry.Kind; {
	case kind.PerItem():
		return "holds its worker"
	case kind == kubeapi.Admission:
		return "holds the request"
	}
	return "keeps all later events waiting"
}

// given says what the call gets instead of what is at hand.
func (d *droppedStop) given() string {
	it, given := "it", d.Given
	if d.Elsewhere != nil {
		it, given = fmt.Sprintf("%s in it (%s)", d.Elsewhere.Name, d.Elsewhere.Where), d.Elsewhere.Given
	}
	if given == "" {
		return it + " takes no context"
	}
	return it + " is given " + given
}

func (u *unit) dropRemedy(d *droppedStop) string {
	source := d.answers.Source
	expr := source.Expr
	if expr == "" {
		expr = "the context parameter"
	}
	switch {
	case d.Elsewhere != nil:
		return "let it take " + expr
	case d.answers.Caller != nil && d.Until == nil:
		return "hand it on, and use wait." + kubeapi.WaitWithContext(d.Callee)
	case d.answers.Caller != nil:
		return "hand it on, and pass it"
	}
	if d.Until == nil {
		instead := kubeapi.WaitWithContext(d.Callee)
		if source.Stop && instead != "" {
			return fmt.Sprintf("use wait.%s with wait.ContextForChannel(%s)", instead, expr)
		}
		return fmt.Sprintf("use wait.%s with %s", instead, expr)
	}
	switch {
	case d.Derived && !source.Stop:
		return "derive it from " + expr
	case kubeapi.IsContext(d.Until.Type()) && source.Stop:
		return "pass wait.ContextForChannel(" + expr + ")"
	case !kubeapi.IsContext(d.Until.Type()) && !source.Stop:
		return "pass " + expr + ".Done()"
	}
	return "pass " + expr
}

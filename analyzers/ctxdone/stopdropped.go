package ctxdone

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkDroppedStops reports the pollers, loops and informers that are given
// something that never ends although a context or stop channel is at hand, and
// the pollers that take neither.
func checkDroppedStops(u *unit) {
	info := u.pass.ResultOf[waits.Analyzer].(*waits.Waits)
	for _, fn := range u.graph.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, deferred := instr.(*ssa.Defer); deferred || info.IsOver(instr) {
					continue
				}
				u.droppedStop(info, fn, call)
			}
		}
	}
}

// droppedStop is a call that nothing ends.
type droppedStop struct {
	call   ssa.CallInstruction
	callee *types.Func
	// until is the argument that never ends, nil if there is no such
	// parameter.
	until ssa.Value
	// what says what is passed: "wait.NeverStop".
	what string
	// forever tells that it does not give up after a time either.
	forever bool
	// derived tells that until is derived from what never ends, with the
	// timeout limit if one is known.
	derived bool
	limit   time.Duration
	// blocking tells that the caller waits for it.
	blocking bool
	answers  waits.Answers
}

func (u *unit) droppedStop(info *waits.Waits, fn *ssa.Function, call ssa.CallInstruction) {
	d, ok := u.dropped(call)
	if !ok {
		return
	}
	sources := info.AtHand(fn)
	if len(sources) == 0 {
		return
	}
	d.answers = info.Answers(fn, call)
	d.answers.Source = &sources[0]
	if u.conditionListens(info, d) {
		return
	}
	doubtful, bad := u.badDrop(fn, d)
	if !bad || doubtful && !u.report.Strict() {
		return
	}
	u.report.Report(u.dropFinding(fn, d))
}

// dropped recognises a call that waits or goes on and is given nothing that
// could end it.
func (u *unit) dropped(call ssa.CallInstruction) (droppedStop, bool) {
	_, started := call.(*ssa.Go)
	if callee, forever, ok := kubeapi.EndlessWait(call.Common()); ok {
		return droppedStop{call: call, callee: callee, forever: forever, blocking: !started}, true
	}
	w, ok := kubeapi.WaitCall(call.Common())
	if !ok {
		return droppedStop{}, false
	}
	blocking := !started && (w.Poller || w.Synced || w.Callee.Signature().Recv() == nil || kubeapi.IsEndless(w.Callee))
	what, limit, bounded := u.neverEnds(w.Until, blocking)
	if what == "" {
		return droppedStop{}, false
	}
	return droppedStop{
		call: call, callee: w.Callee, until: w.Until, what: what,
		forever: !bounded && !strings.Contains(w.Callee.Name(), "Timeout") && !strings.HasPrefix(w.Callee.Name(), "ExponentialBackoff"),
		derived: isDerived(u.contexts.Origins(w.Until)), limit: limit, blocking: blocking,
	}, true
}

// neverEnds says what a context or stop channel is that surely never ends; what
// is empty if it may end. If it is bounded, it ends by a timeout only, which is
// limit if it is known.
//
// A context that is cancelled when the function returns does not end a call that
// the function waits for.
func (u *unit) neverEnds(until ssa.Value, blocking bool) (what string, limit time.Duration, bounded bool) {
	for _, o := range u.contexts.Origins(until) {
		switch {
		case o.Kind == contexts.Detached:
			what = rootName(o.Root)
			for _, step := range o.Steps {
				switch {
				case step.Kind == contexts.Timeout:
					bounded, limit = true, step.After
				case step.Kind == contexts.Cancel && !(blocking && onlyDeferred(step.Cancel)):
					return "", 0, false
				}
			}
		case o.Kind == contexts.Unknown && isNil(o.Root):
			what = "nil"
		case o.Kind == contexts.Unknown && neverClosed(o.Root):
			what = "a channel that nobody closes"
		default:
			return "", 0, false
		}
	}
	return what, limit, bounded
}

// isDerived reports whether a context is derived from another one.
func isDerived(origins []contexts.Origin) bool {
	for _, o := range origins {
		if len(o.Steps) > 0 {
			return true
		}
	}
	return false
}

// onlyDeferred reports whether a function is called when its caller returns,
// and nothing else is done with it.
func onlyDeferred(cancel ssa.Value) bool {
	if cancel == nil || cancel.Referrers() == nil {
		return false
	}
	for _, ref := range *cancel.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Defer:
			if ref.Call.Value != cancel {
				return false
			}
		default:
			return false
		}
	}
	return len(*cancel.Referrers()) > 0
}

// rootName writes a root as the code does: "context.Background()".
func rootName(root ssa.Value) string {
	switch root := root.(type) {
	case *ssa.Call:
		if callee := kubeapi.Callee(root.Common()); callee != nil {
			if callee.Pkg() != nil && callee.Signature().Recv() == nil {
				return callee.Pkg().Name() + "." + callee.Name() + "()"
			}
			return callee.Name() + "()"
		}
	case *ssa.UnOp:
		if kubeapi.IsNeverStop(root) {
			return "wait.NeverStop"
		}
	}
	return "something that never ends"
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil && kubeapi.IsStopChannel(c.Type())
}

// neverClosed reports whether a channel is made here and only handed to what
// waits for it to be closed.
func neverClosed(v ssa.Value) bool {
	made, ok := v.(*ssa.MakeChan)
	return ok && onlyWaitedFor(made, 0)
}

func onlyWaitedFor(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > 4 {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.ChangeType:
			if !onlyWaitedFor(ref, depth+1) {
				return false
			}
		case *ssa.Store:
			local, ok := ref.Addr.(*ssa.Alloc)
			if !ok || ref.Val != v || !onlyWaitedFor(local, depth+1) {
				return false
			}
		case *ssa.UnOp: // a load of the variable, or a receive
			if !onlyWaitedFor(ref, depth+1) {
				return false
			}
		case ssa.CallInstruction:
			if w, ok := kubeapi.WaitCall(ref.Common()); !ok || w.Until != v {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// conditionListens reports whether the function that is asked again and again
// listens itself, and so ends the poller.
func (u *unit) conditionListens(info *waits.Waits, d droppedStop) bool {
	_, args := kubeapi.Args(d.call.Common())
	for _, arg := range args {
		if _, ok := arg.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		for _, condition := range u.graph.FuncsOf(arg).Funcs {
			if info.Listens(condition) {
				return true
			}
		}
	}
	return false
}

// short is how long a poller may go on that gives up by itself.
const short = 5 * time.Second

// badDrop decides about one call.
func (u *unit) badDrop(fn *ssa.Function, d droppedStop) (doubtful, bad bool) {
	perCall := held(d.answers) || isRequest(d.answers.Source)
	switch {
	case perCall && !d.blocking:
		// What is started there may be meant to outlive the request.
		return false, false
	case !d.forever && u.givesUpSoon(d):
		return true, true
	case !d.blocking && !d.answers.Source.Stop && !runs(d.answers) && !u.runsThings(fn):
		// The context may be that of a call which only starts something.
		return true, true
	case private(d.answers.Source):
		return true, true
	case strings.HasPrefix(d.callee.Name(), "ExponentialBackoff"):
		_, args := kubeapi.Args(d.call.Common())
		if d.until != nil {
			args = args[1:]
		}
		total, known := u.backoffTotal(args[0])
		return !known || total <= short, true
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
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
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
			for _, o := range u.contexts.Origins(until) {
				if o.Kind == contexts.Param && !o.Derived(contexts.Timeout) {
					return true
				}
			}
		}
	}
	return false
}

// private reports whether a context is that of another component: it is kept in
// an unexported field of something that a parameter refers to.
func private(source *contexts.Source) bool {
	n := len(source.Fields)
	return source.Kind == contexts.FromField && n > 1 && !source.Fields[n-1].Exported()
}

// givesUpSoon reports whether a poller has a short timeout.
func (u *unit) givesUpSoon(d droppedStop) bool {
	if d.limit > 0 && d.limit <= short {
		return true
	}
	_, args := kubeapi.Args(d.call.Common())
	index := 1 // Poll(interval, timeout, …)
	if d.until != nil {
		index = 2 // PollUntilContextTimeout(ctx, interval, timeout, …)
	}
	if index >= len(args) || !kubeapi.IsNamed(args[index].Type(), "time", "Duration") {
		return false
	}
	timeout, known := u.contexts.Duration(args[index])
	return known && timeout <= short
}

func (u *unit) dropFinding(fn *ssa.Function, d droppedStop) rule.Finding {
	f := rule.Finding{Pos: d.call.Pos(), Category: "stop-dropped", Harm: u.dropHarm(fn, d), Fix: u.dropFix(fn, d)}
	until := "forever"
	if !d.forever {
		until = "until its timeout"
	}
	f.Message = fmt.Sprintf("%s goes on %s when %s has ended: it %s; %s", d.name(), until, u.contextName(d.answers), d.given(), u.dropRemedy(d))
	if d.answers.Path != nil && held(d.answers) {
		f.Related = d.answers.Path.Related()
	}
	return f
}

// dropHarm tells what waits: a caller forever, or nobody but the end of the
// process for something that was started once. Who has lost a lead has nothing to
// end in order: leaderelection.RunOrDie goes with the process.
func (u *unit) dropHarm(fn *ssa.Function, d droppedStop) rule.Harm {
	switch {
	case u.onlyStarted(fn), kubeapi.IsFunc(d.callee, "k8s.io/client-go/tools/leaderelection", "RunOrDie"):
		return rule.Hygiene
	case d.forever && d.blocking:
		return rule.Stuck
	case !d.forever, u.once(fn):
		return rule.Hygiene
	}
	return 0
}

// onlyStarted reports whether all calls of a function start it as a goroutine: nobody
// waits for it.
func (u *unit) onlyStarted(fn *ssa.Function) bool {
	callers := u.graph.Callers(fn)
	return fn.Parent() == nil && !token.IsExported(fn.Name()) && len(callers) > 0 && !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
		_, started := call.(*ssa.Go)
		return !started
	})
}

// name is how the code calls what is called.
func (d droppedStop) name() string {
	if d.callee.Pkg() != nil && d.callee.Signature().Recv() == nil {
		return d.callee.Pkg().Name() + "." + d.callee.Name()
	}
	return d.callee.Name()
}

// given says what the call gets instead of what is at hand.
func (d droppedStop) given() string {
	if d.until == nil {
		return "takes no context"
	}
	return "is given " + d.what
}

func (u *unit) dropRemedy(d droppedStop) string {
	source := d.answers.Source
	expr := source.Expr
	if expr == "" {
		expr = "the context parameter"
	}
	if d.until == nil {
		instead := withContext(d.callee)
		if source.Stop && instead != "" {
			return fmt.Sprintf("use wait.%s with wait.ContextForChannel(%s)", instead, expr)
		}
		return fmt.Sprintf("use wait.%s with %s", instead, expr)
	}
	switch {
	case d.derived && !source.Stop:
		return "derive it from " + expr
	case kubeapi.IsContext(d.until.Type()) && source.Stop:
		return "pass wait.ContextForChannel(" + expr + ")"
	case !kubeapi.IsContext(d.until.Type()) && !source.Stop:
		return "pass " + expr + ".Done()"
	}
	return "pass " + expr
}

// withContext is the function of package wait that takes a context and does
// the same as callee, as far as the package has it: older ones have others.
func withContext(callee *types.Func) string {
	has := func(name string) bool { return callee.Pkg().Scope().Lookup(name) != nil }
	pick := func(name, older string) string {
		if has(name) {
			return name
		}
		return older
	}
	switch callee.Name() {
	case "Poll":
		return pick("PollUntilContextTimeout", "PollWithContext")
	case "PollImmediate":
		return pick("PollUntilContextTimeout", "PollImmediateWithContext")
	case "PollInfinite":
		return pick("PollUntilContextCancel", "PollInfiniteWithContext")
	case "PollImmediateInfinite":
		return pick("PollUntilContextCancel", "PollImmediateInfiniteWithContext")
	case "ExponentialBackoff":
		return "ExponentialBackoffWithContext"
	}
	return "UntilWithContext"
}

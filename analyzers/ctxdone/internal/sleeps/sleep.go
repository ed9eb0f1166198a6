// Package sleeps finds pauses that listen to nothing while somebody waits for them.
package sleeps

import (
	"fmt"
	"go/types"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// unit is what this package asks about.
type unit struct{ *subject.Unit }

// Report reports the pauses that keep a worker, a request or a shutdown
// waiting.
func Report(in *subject.Unit) {
	u := &unit{in}
	info := u.Pass.ResultOf[waits.Analyzer].(*waits.Waits)
	// A sleep in another package is reported once in this one, however many
	// calls lead to it: where it is worst.
	elsewhere := make(map[string]bool)
	var held style
	for _, worst := range []bool{true, false} {
		for _, fn := range info.Funcs() {
			var found []rule.Finding
			for _, p := range info.Pauses(fn) {
				answers := info.Answers(fn, p.At)
				doubtful, bad := u.badSleep(info.Along(p, answers), answers)
				if subject.Held(answers) != worst || !bad || doubtful && !u.Report.Strict() || u.InEndlessLoop(p.At) {
					continue
				}
				if p.Elsewhere != nil {
					if elsewhere[p.Elsewhere.Where] {
						continue
					}
					elsewhere[p.Elsewhere.Where] = true
				}
				f := u.sleepFinding(fn, p, answers)
				if worst && f.Harm > rule.Hygiene {
					held.add(f, p)
					continue
				}
				found = append(found, f)
			}
			u.Report.ReportOnce(found)
		}
	}
	held.report(u)
}

// How long a loop may sleep that ends soon after its context: one that asks in
// each round whether it has ended, one that does so and holds a worker all the
// while, and one that ends because a call fails; and how long a single pause may
// be, or all of a loop that counts its rounds, of which shutdown or a worker takes
// little notice.
const (
	tolerable     = 5 * time.Second
	tolerableHeld = 2 * time.Second
	tolerableFail = time.Second
	tolerableOnce = time.Second
	tolerableAll  = 3 * time.Second
)

// badSleep decides about one pause.
func (u *unit) badSleep(p *waits.Pause, a waits.Answers) (doubtful, bad bool) {
	if p.Over || a.None() || !subject.Held(a) && u.stops(p.At.Parent()) {
		return false, false
	}
	if p.Known && p.For < waits.Short || p.Brief {
		total, known := p.Total()
		return !subject.Held(a) || !known || total <= tolerable, p.Again()
	}
	if within(p, tolerableOnce) && !p.Again() && !a.Again() && (!subject.Held(a) || a.Path.Entry.Kind.PerItem()) {
		return true, true
	}
	if subject.Held(a) {
		return p.Listens && within(p, tolerableHeld) || soonOver(p, tolerableAll), true
	}
	switch {
	case p.Listens && (within(p, tolerable) || p.Ticks || a.Started):
		doubtful = true // nobody waits for a goroutine, and it does no more work
	case p.Fails && within(p, tolerableFail):
		doubtful = true
	case soonOver(p, tolerableAll), p.Loop != nil && a.Source != nil && a.Source.Param != nil && u.Detached.NeverLive(a.Source.Param):
		doubtful = true // a loop, unlike a pause in between, waits for no more than its callers want
	case u.IsCommand(), a.Source != nil && subject.Private(a.Source):
		doubtful = true
	case a.Started && (within(p, tolerableHeld) || a.Repeatedly == nil && p.Loop == nil):
		doubtful = true // nobody waits for it, or it is once, when the program starts
	case a.Started && p.Loop == nil && a.Repeatedly.Kind.PerItem():
		doubtful = true // it is to go on when the reconcile is over, and its context perhaps
	case a.Caller != nil && !p.Known && !p.Again() && !a.Again():
		doubtful = true
	}
	return doubtful, true
}

// soonOver reports whether a pause takes little time in all rounds of the loops
// around it.
func soonOver(p *waits.Pause, limit time.Duration) bool {
	total, known := p.Total()
	return known && p.Again() && total <= limit
}

// stops reports whether a function is the one that tells others to stop, or is
// run by it alone: what it waits for before or after that is part of stopping.
func (u *unit) stops(fn *ssa.Function) bool {
	for range maxStops {
		obj, ok := fn.Object().(*types.Func)
		if ok && kubeapi.IsStop(obj) {
			return true
		}
		callers := u.Graph.Callers(fn)
		if len(callers) != 1 || ok && obj.Exported() {
			return false
		}
		fn = callers[0].Parent()
	}
	return false
}

// maxStops bounds the calls between Stop and what it does.
const maxStops = 4

func within(p *waits.Pause, limit time.Duration) bool { return p.Known && p.For <= limit }

// holdsWorker reports whether a worker or an informer waits, which a select with the
// context would hold just as long: nothing ends that context before the shutdown.
func holdsWorker(a waits.Answers) bool {
	return subject.Held(a) && a.Path.Entry.Kind != kubeapi.Admission && a.Path.Entry.Kind != kubeapi.HTTPHandler
}

func (u *unit) sleepFinding(fn *ssa.Function, p *waits.Pause, a waits.Answers) rule.Finding {
	f := rule.Finding{Pos: p.At.Pos(), Category: "sleep", Harm: sleepHarm(p, a)}
	f.Message = fmt.Sprintf("%s %s %s; %s", sleeper(fn, p, a), pauseWords(p), u.sleepConsequence(a), u.sleepRemedy(a))
	if a.Path != nil {
		f.Related = a.Path.Related()
	}
	if p.Elsewhere == nil && !holdsWorker(a) {
		f.Fix = u.sleepFix(fn, p)
	}
	return f
}

// How long a pause may be before it is more than a nuisance: for a worker, an informer's
// handler or a client, for the API server, which calls a webhook for ten seconds
// unless told otherwise.
const (
	harmfulHeld      = time.Minute
	harmfulAdmission = 10 * time.Second
)

// sleepHarm tells what a pause does: one that is known to keep a worker, or the events of an
// informer, for more than a minute leaves others stuck. What holds them up for less, or for who knows how long, and what nothing
// but a shutdown waits for, which the kubelet ends anyway, nobody notices. A request over HTTP has
// a goroutine of its own, and few clients of an operator's give up. A loop that asks in
// each round whether its context has ended is a poll that somebody has thought about.
func sleepHarm(p *waits.Pause, a waits.Answers) rule.Harm {
	total, known := p.Total()
	limit := harmfulHeld
	if isAdmission(a) {
		limit = harmfulAdmission
	}
	switch {
	case !subject.Held(a), a.Path.Entry.Kind == kubeapi.HTTPHandler, p.Listens && !isAdmission(a), asksNobody(p):
		return rule.Hygiene
	case known && total >= limit && (total > limit || isAdmission(a)):
		return rule.Stuck
	}
	return rule.Hygiene
}

// asksNobody reports whether a loop pauses and looks at nothing but its own memory, such as whether a field has
// been set: that is so before anything is reconciled, or is a matter of an instant.
func asksNobody(p *waits.Pause) bool {
	if p.Loop == nil || p.Elsewhere != nil {
		return false
	}
	for call := range loops.InstrsOf[ssa.CallInstruction](p.Loop) {
		_, builtin := call.Common().Value.(*ssa.Builtin)
		if callee := kubeapi.Callee(call.Common()); call != p.At && !builtin && !kubeapi.IsHarmless(callee) && !kubeapi.Logs(callee) {
			return false
		}
	}
	return true
}

func isAdmission(a waits.Answers) bool {
	return a.Path != nil && a.Path.Entry.Kind == kubeapi.Admission
}

// sleeper names the function that sleeps, and the entry point that calls it.
func sleeper(fn *ssa.Function, p *waits.Pause, a waits.Answers) string {
	name := subject.NameOf(fn)
	if call, ok := p.At.(ssa.CallInstruction); ok && p.Elsewhere != nil {
		name = entrypoints.CalleeName(call)
	} else if fn.Parent() != nil && a.Started {
		name = "this goroutine"
	}
	switch {
	case !subject.Held(a):
	case p.Elsewhere == nil && (len(a.Path.Edges()) == 0 || name == "the function literal"):
		return a.Path.Entry.Name()
	default:
		name += " (from " + a.Path.Entry.ShortName() + ")"
	}
	return name
}

// pauseWords says what happens: "sleeps for 5s in each round of a loop".
func pauseWords(p *waits.Pause) string {
	words, of := "sleeps", " for "
	if _, timer := p.At.(*ssa.UnOp); timer {
		words, of = "waits for a timer", " of "
	}
	if p.Known {
		words += of + brief(p.For)
	}
	switch total, known := p.Total(); {
	case p.Again() && known:
		words = "sleeps for up to " + brief(total) + " in a loop"
	case p.Again():
		words += " in each round of a loop"
	}
	if p.Elsewhere != nil {
		words += " (" + p.Elsewhere.Where + ")"
	}
	return words
}

// brief writes a duration, a long one in seconds.
func brief(d time.Duration) string {
	if d > time.Minute {
		d = d.Round(time.Second)
	}
	return wording.Duration(d)
}

// sleepConsequence says what that does in production.
func (u *unit) sleepConsequence(a waits.Answers) string {
	if subject.Held(a) {
		switch kind := a.Path.Entry.Kind; {
		case kind.PerItem():
			return "and holds a worker"
		case kind == kubeapi.Admission:
			return "while the API server gives up on the request"
		case kind == kubeapi.HTTPHandler:
			return "and requests pile up"
		}
		return "and all later events wait"
	}
	deaf := "and ignores " + u.ContextName(a) + ": "
	switch {
	case a.Started:
		return deaf + "it goes on after shutdown"
	case subject.IsRequest(a.Source):
		return deaf + "requests pile up"
	}
	return deaf + "shutdown waits for it"
}

// maxName is how long the expression of a context may be to be named twice.
const maxName = 24

func (u *unit) sleepRemedy(a waits.Answers) string {
	if subject.Held(a) {
		switch kind := a.Path.Entry.Kind; {
		case kind == kubeapi.Reconcile:
			return "return and requeue with RequeueAfter"
		case kind.PerItem():
			return "return and put the key back with AddAfter"
		case kind == kubeapi.Admission || kind == kubeapi.HTTPHandler:
			return "wait in a select with the request's context"
		}
		return "put the key into a workqueue with AddAfter"
	}
	done := "the context's Done"
	if a.Source != nil && a.Source.Expr != "" && a.Caller == nil {
		done = a.Source.Expr
		if !a.Source.Stop {
			done += ".Done()"
		}
	}
	if a.Caller != nil {
		return "hand it on, and wait in a select with it"
	}
	if len(done) > maxName {
		done = "its Done"
	}
	return "wait in a select with " + done
}

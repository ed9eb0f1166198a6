// Package blockedsends finds sends and receives that wait for a goroutine which may be gone.
package blockedsends

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// Report reports sends and receives whose peer may be gone.
func Report(u *subject.Unit) {
	s := &sends{u, u.Pass.ResultOf[channels.Analyzer].(*channels.Channels)}
	for _, ch := range s.channels.Channels {
		switch {
		case ch.Made == nil || ch.Escapes:
		case ch.Field != nil:
			s.stream(ch)
			if s.confined(ch) {
				s.local(ch)
			}
		case ch.Local():
			s.local(ch)
		}
	}
}

type sends struct {
	*subject.Unit
	channels *channels.Channels
}

// peer is an operation with the activity that it runs in.
type peer struct {
	channels.Op
	channels.Activity
}

// local looks at a channel of which all is known, and which lives as long as
// the call that makes it.
func (s *sends) local(ch *channels.Channel) {
	s.overfull(ch)
	senders, receivers, ok := s.peers(ch)
	if !ok {
		return
	}
	for _, send := range senders {
		if send.Op.Kind != channels.Close && send.Op.Plain() && (send.Op.Use == nil || send.Op.Use.Sends) {
			s.send(ch, send, senders, receivers)
		}
	}
	for _, receive := range receivers {
		s.receive(ch, receive, senders)
	}
}

// confined reports whether a channel that is kept in a field is nevertheless
// used by nobody but the function that makes it, its literals, and functions
// that no other package can call.
func (s *sends) confined(ch *channels.Channel) bool {
	if len(ch.Public) > 0 {
		return false
	}
	maker := paths.Outermost(ch.Made.Parent())
	return !slices.ContainsFunc(ch.Ops, func(op channels.Op) bool {
		outer := paths.Outermost(op.Fn())
		obj := outer.Object()
		return outer != maker && (obj == nil || obj.Exported())
	})
}

// peers sorts the operations on a channel into those that others wait for: the
// senders, which include who closes it, and the receivers. ok is false if it is
// not known in which activity one of them runs.
func (s *sends) peers(ch *channels.Channel) (senders, receivers []peer, ok bool) {
	frames := ch.Frames()
	for _, op := range ch.Ops {
		activity, ok := s.channels.ActivityOf(op, frames...)
		if !ok && op.Kind == channels.Send {
			activity, ok = s.registeredElsewhere(ch, op)
		}
		if !ok {
			return nil, nil, false
		}
		p := peer{op, activity}
		if _, isGo := op.Instr.(*ssa.Go); isGo && op.Kind == channels.HandOver && p.Body == nil {
			p.Spawn = op.Instr // a goroutine that is another package's function
		}
		switch op.Kind {
		case channels.Send, channels.Close:
			senders = append(senders, p)
		case channels.Receive:
			receivers = append(receivers, p)
		case channels.HandOver:
			if op.Use.Sends || op.Use.Closes {
				senders = append(senders, p)
			}
			if op.Use.Receives {
				receivers = append(receivers, p)
			}
		}
	}
	return senders, receivers, true
}

// registeredElsewhere is the activity of a send in an event handler that finds
// the channel in a field: it may come as soon as the channel is there.
func (s *sends) registeredElsewhere(ch *channels.Channel, op channels.Op) (channels.Activity, bool) {
	a := channels.Activity{Frame: ch.Made.Parent(), Start: ch.Made, Body: op.Fn(), Callback: true, Many: true}
	for a.Body != nil && !s.perEvent(peer{op, a}) {
		a.Body = a.Body.Parent()
	}
	return a, a.Body != nil
}

// gone is a receiver that goes away.
type gone struct {
	peer
	leave *channels.Leave
}

// send decides about one send and words the finding.
func (s *sends) send(ch *channels.Channel, send peer, senders, receivers []peer) {
	q := channels.Question{Many: send.Many || send.Callback || send.Op.Use != nil && send.Op.Use.Repeats, Several: send.Several || send.Callback}
	turns := send.Several && !send.Repeats && inTurn(send, receivers)
	if turns {
		q = channels.Question{}
	}
	switch {
	case ch.Capacity < 0, ch.Capacity > 0 && turns:
		return
	case ch.Capacity > 0 && !s.perEvent(send) && (send.Callback || !send.Several || ch.Capacity > 1):
		return // as a rule there is room for all
	case send.Own() && slices.ContainsFunc(receivers, peer.Own):
		return // it is a queue or a semaphore
	}
	q.Enough = s.enough(ch, send)
	var away []gone
	for _, receive := range receivers {
		leave := s.leaves(ch, send, receive, q)
		if leave == nil {
			return
		}
		away = append(away, gone{receive, leave})
	}
	if stopped(send.Spawn) {
		return
	}
	doubtful := s.Once(send.Frame) || s.serves(send) || s.looksFirst(send) || s.failsFirst(send, away) || s.afterEnd(ch.Made) || forgotten(receivers)
	if s.ownedElsewhere(send) || doubtful && !s.Report.Strict() {
		return
	}
	s.Report.Report(s.sendFinding(ch, send, q, away, closedBehind(send, senders, away)))
}

// afterEnd reports whether an instruction is part of shutting down: it is reached only once
// a context or stop channel has ended.
func (s *sends) afterEnd(at ssa.Instruction) bool {
	return s.Pass.ResultOf[waits.Analyzer].(*waits.Waits).IsOver(at)
}

// inTurn reports whether each round of a loop starts one sender and receives
// from it.
func inTurn(send peer, receivers []peer) bool {
	return slices.ContainsFunc(loops.Of(send.Frame), func(loop *loops.Loop) bool {
		return loop.Blocks[send.Start.Block()] && slices.ContainsFunc(receivers, func(receive peer) bool {
			return receive.Own() && receive.Frame == send.Frame && loop.Blocks[receive.Start.Block()]
		})
	})
}

// perEvent reports whether the sender is a handler that is called for each
// event.
func (s *sends) perEvent(send peer) bool {
	if send.Body == nil {
		return false
	}
	return slices.ContainsFunc(s.Entries.Of(send.Body), func(entry *entrypoints.Entry) bool { return entry.Kind.PerEvent() })
}

// leaves asks whether a receiver may go away while send waits.
func (s *sends) leaves(ch *channels.Channel, send, receive peer, q channels.Question) *channels.Leave {
	if receive.Op.Kind == channels.HandOver {
		if receive.Op.Use.GivesUp == "" {
			return nil
		}
		return &channels.Leave{At: receive.Op.Instr.Pos(), Elsewhere: receive.Op.Use.GivesUp}
	}
	switch {
	case receive.Callback:
		return nil
	case !receive.Own():
		return s.channels.Leaves(ch, receive.Body, nil, q)
	case send.Own():
		return nil
	case receive.Frame == send.Frame && receive.Start == send.Start:
		return s.leavesBelow(ch, send, receive, q)
	case receive.Frame == send.Frame:
		return s.channels.Leaves(ch, receive.Frame, send.Start, q)
	}
	for _, call := range ch.Results {
		if call.Parent() == receive.Frame {
			return s.channels.Leaves(ch, receive.Frame, call, q)
		}
	}
	return nil
}

// leavesBelow asks the same where one call of the frame leads to both the send
// and the receive: of the function that is called.
func (s *sends) leavesBelow(ch *channels.Channel, send, receive peer, q channels.Question) *channels.Leave {
	for range 6 {
		call, ok := receive.Start.(*ssa.Call)
		if !ok {
			return nil
		}
		targets := s.Graph.Callees(call).Funcs
		if len(targets) != 1 {
			return nil
		}
		sender, ok := s.channels.ActivityOf(send.Op, targets[0])
		receiver, known := s.channels.ActivityOf(receive.Op, targets[0])
		if !ok || !known || sender.Own() || !receiver.Own() {
			return nil
		}
		if sender.Start != receiver.Start {
			return s.channels.Leaves(ch, targets[0], sender.Start, q)
		}
		receive.Activity = receiver
	}
	return nil
}

// enough returns the channels that the sender's goroutine serves as well:
// receiving from one of them is as good. A channel that is closed by who waits
// for the goroutine is one of them.
func (s *sends) enough(ch *channels.Channel, send peer) []*channels.Channel {
	var found []*channels.Channel
	for _, other := range s.channels.Channels {
		if other == ch || other.Made == nil || paths.Outermost(other.Made.Parent()) != paths.Outermost(ch.Made.Parent()) {
			continue
		}
		for _, op := range other.Ops {
			behind := op.Kind == channels.HandOver && (op.Use.Sends || op.Use.Closes)
			if op.Kind != channels.Send && op.Kind != channels.Close && !behind {
				continue
			}
			activity, ok := s.channels.ActivityOf(op, send.Frame)
			if ok && activity.Body != nil && (activity.Body == send.Body || channels.AwaitsGroup(op.Fn())) || behind && op.Use.AfterGroup {
				found = append(found, other)
				break
			}
		}
	}
	return found
}

// ownedElsewhere reports whether handlergoroutine reports the goroutine that
// sends, since a handler or reconciler starts it.
func (s *sends) ownedElsewhere(send peer) bool {
	for _, entry := range s.Entries.Entries {
		if !entry.Kind.PerEvent() && !entry.Kind.PerItem() && entry.Kind != kubeapi.Watch {
			continue
		}
		for _, leak := range s.Starts.Leaks(entry.Fn) {
			if leak.Stuck && leak.Start() == send.Spawn && entry.Covers(leak.At()) {
				return true
			}
		}
	}
	return false
}

func (s *sends) sendFinding(ch *channels.Channel, send peer, q channels.Question, away []gone, closed ssa.Instruction) rule.Finding {
	f := rule.Finding{Pos: send.Op.Instr.Pos(), Category: "blocking-send", Harm: s.sendHarm(send, away)}
	because := func(func(string) string) string { return "nothing receives from it" }
	if len(away) > 0 {
		because = func(name func(string) string) string { return s.because(send, away[0], name) }
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: away[0].leave.At, Message: "the receiver goes away here"})
		f.Cause = s.sendCause(send, q, away[0])
		if !slices.ContainsFunc(away, func(g gone) bool { return !s.leavesAtEndIfOnce(g) }) {
			f.RepeatsIn = ch.Made.Pos()
		}
	}
	f.Related = append(f.Related, analysis.RelatedInformation{Pos: ch.Made.Pos(), Message: "the channel is made here"})
	f.Related = append(f.Related, s.RelatedTo(send.Frame)...)
	if closed != nil {
		f.Harm = rule.Crash
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: closed.Pos(), Message: "the channel is closed here"})
	}
	f.Message = wording.Fit(func(name func(string) string) string {
		says, remedy, with := "%s hangs in its send on %s if %s; %s", "give the channel a buffer of 1", "send in a select with "
		if closed != nil {
			says, remedy, with = "%s panics in its send on %s if %s and closes it; leave it open, and %s", "give it a buffer of 1", "select on "
		}
		if q.Many {
			remedy = with + "a case that ends it"
			if done := s.listensTo(send, away); done != "" {
				remedy = with + name(done)
			}
		}
		return fmt.Sprintf(says, name(s.who(send)), name(channelName(ch)), because(name), remedy)
	})
	return f
}

// sendCause is what several findings share: the place where the receiver goes away. The branches of one goroutine
// are mended together, and those of another apart; all handlers of informers that send to one receiver are one habit.
func (s *sends) sendCause(send peer, q channels.Question, away gone) string {
	cause := syntax.Place(s.Pass.Fset, away.leave.At)
	switch {
	case s.perEvent(send):
		return cause + " handlers"
	case q.Many && send.Body != nil:
		return cause + " " + syntax.Place(s.Pass.Fset, send.Body.Pos())
	}
	return cause
}

// sendHarm raises the harm where others wait for the sender: the events that come
// after this one, or the caller of a function that sends itself. There is little where the
// receivers go when the process does, which takes the sender along.
func (s *sends) sendHarm(send peer, away []gone) rule.Harm {
	switch {
	case len(away) > 0 && !slices.ContainsFunc(away, func(g gone) bool { return !s.leavesAtEnd(g) }):
		return rule.Hygiene
	case send.Own() || s.perEvent(send):
		return rule.Stuck
	case s.tellsLeader(send):
		return rule.Hygiene // there are few new leaders in the life of a process, and nobody waits for the callback
	}
	return 0
}

// tellsLeader reports whether the sender is the callback that is told who leads, which client-go runs
// in a goroutine of its own.
func (s *sends) tellsLeader(send peer) bool {
	return send.Body != nil && slices.ContainsFunc(s.Entries.Of(send.Body), func(e *entrypoints.Entry) bool {
		return e.Kind == kubeapi.LeaderCallback && e.What == "OnNewLeader"
	})
}

// channelName is how code calls a channel.
func channelName(ch *channels.Channel) string {
	switch {
	case ch.Field != nil:
		return ch.Field.Name()
	case ch.Name != "":
		return ch.Name
	}
	return "the channel"
}

// because words how the receiver goes away.
func (s *sends) because(send peer, g gone, name func(string) string) string {
	who := "the receiver"
	switch {
	case g.Op.Kind == channels.HandOver:
		if callee := kubeapi.Callee(g.Op.Instr.(ssa.CallInstruction).Common()); callee != nil {
			who = callee.Name()
		}
	case g.Own():
		who = subject.FuncName(g.Frame)
	}
	return fmt.Sprintf("%s stops receiving (%s: %s)", name(who), s.LineFrom(g.leave.At, send.Op.Instr.Pos()), g.leave.Reason())
}

// who names the thread of control that sends.
func (s *sends) who(send peer) string {
	switch {
	case send.Own():
		return subject.FuncName(send.Frame)
	case send.Callback:
		for _, entry := range s.Entries.Of(send.Body) {
			return entry.Name()
		}
		return "the callback"
	}
	return "this goroutine"
}

// listensTo is what the receiver listens to, if the sender can do so as well:
// both see the same variable; or else what is at hand where it sends.
func (s *sends) listensTo(send peer, away []gone) string {
	for _, source := range s.Contexts.AtHand(send.Op.Fn()) {
		switch {
		case source.Blank || source.Expr == "":
		case source.Stop:
			return source.Expr
		default:
			return source.Expr + ".Done()"
		}
	}
	for _, g := range away {
		if g.leave.Chan != nil && g.Own() && send.Op.Fn().Parent() == g.Frame {
			if name := channels.NameOf(g.leave.Chan); name != "" && kubeapi.DoneOf(g.leave.Chan) != nil {
				return name
			}
		}
	}
	return ""
}

package unfinished

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// blamedAt reports whether a worker tells another queue what its own should be
// told: that finding says why it is not.
func (c *checker) blamedAt(verb kubeapi.QueueVerb, w *subject.Worker) bool {
	return slices.ContainsFunc(c.Mistaken, func(m subject.Mistake) bool { return m.Verb == verb && m.Worker == w })
}

// others finds workers that tell another queue what becomes of an item: a copy of
// another worker in which one name was not changed. It is a mistake where the
// item's own queue is never told the same, since items may well be handed on to
// another queue, or be forgotten by several.
func (c *checker) others(w *subject.Worker) {
	for _, calls := range c.waysTo(w) {
		s := &otherSearch{checker: c, w: w, own: resolve(w.Queue, calls), seen: make(map[*ssa.Function]bool), told: make(map[kubeapi.QueueVerb]bool)}
		if !c.Queues.Told(s.own) {
			continue
		}
		s.look(w.Get.Parent(), calls)
		s.judge()
	}
}

// waysTo are the calls that lead to a worker which is handed its queue, as far
// as that is handed on; one empty way for a worker that is not.
func (c *checker) waysTo(w *subject.Worker) [][]ssa.CallInstruction {
	done, open := [][]ssa.CallInstruction(nil), [][]ssa.CallInstruction{nil}
	for range maxHandovers {
		var next [][]ssa.CallInstruction
		for _, calls := range open {
			param, ok := resolve(w.Queue, calls).(*ssa.Parameter)
			if !ok {
				done = append(done, calls)
				continue
			}
			for _, site := range c.Graph.Callers(param.Parent()) {
				next = append(next, append([]ssa.CallInstruction{site}, calls...))
			}
		}
		open = next
	}
	return done
}

const maxHandovers = 4

// resolve follows a queue that is a parameter back along the calls to what was
// handed over.
func resolve(v ssa.Value, calls []ssa.CallInstruction) ssa.Value {
	for n := len(calls) - 1; n >= 0; n-- {
		param, ok := kubeapi.Unconverted(v).(*ssa.Parameter)
		if !ok {
			break
		}
		index := slices.Index(param.Parent().Params, param)
		if operands := kubeapi.Operands(calls[n].Common()); callsParent(calls[n], param) && index < len(operands) {
			v = operands[index]
		}
	}
	return kubeapi.Unconverted(v)
}

// callsParent reports whether a call may be that of a parameter's function.
func callsParent(call ssa.CallInstruction, param *ssa.Parameter) bool {
	callee := kubeapi.Callee(call.Common())
	obj := param.Parent().Object()
	return callee == nil || obj == nil || callee.Origin() == obj || call.Common().IsInvoke()
}

// otherSearch looks at what one worker does with its items.
type otherSearch struct {
	*checker
	w    *subject.Worker
	own  ssa.Value // the queue that the items are from
	seen map[*ssa.Function]bool
	// told are the verbs that the own queue is told in earnest, and wrong the
	// operations on others.
	told  map[kubeapi.QueueVerb]bool
	wrong []otherOp
}

// otherOp is an operation on another queue.
type otherOp struct {
	*queues.Op
	queue ssa.Value // resolved
}

func (s *otherSearch) look(fn *ssa.Function, calls []ssa.CallInstruction) {
	if s.seen[fn] || len(s.seen) > 60 || len(calls) > 10 {
		return
	}
	s.seen[fn] = true
	for instr := range blocks.Instrs(fn) {
		for _, op := range s.Queues.At(instr) {
			s.op(op, calls)
		}
		switch instr := instr.(type) {
		case *ssa.MakeClosure:
			s.look(instr.Fn.(*ssa.Function), calls)
		case ssa.CallInstruction:
			for _, target := range s.Graph.Callees(instr).Funcs {
				s.look(target, append(calls[:len(calls):len(calls)], instr))
			}
		}
	}
}

// op notes what one operation tells which queue about the item.
func (s *otherSearch) op(op *queues.Op, calls []ssa.CallInstruction) {
	if !told[op.Verb] {
		return
	}
	queue := resolve(op.Queue, calls)
	if !s.Queues.Differ(queue, s.own) {
		s.note(op)
		return
	}
	if s.aboutItem(op) && s.earnest(op) {
		s.wrong = append(s.wrong, otherOp{op, queue})
	}
}

// told are the verbs by which a worker tells a queue what has become of an item.
var told = map[kubeapi.QueueVerb]bool{
	kubeapi.QueueDone: true, kubeapi.QueueForget: true, kubeapi.QueueAddRateLimited: true,
	kubeapi.QueueAdd: true, kubeapi.QueueAddAfter: true, kubeapi.QueueAddOther: true,
}

// note notes what the own queue is told. To put an item back in any way is to
// see to its retry.
func (s *otherSearch) note(op *queues.Op) {
	switch op.Verb {
	case kubeapi.QueueAdd, kubeapi.QueueAddAfter, kubeapi.QueueAddOther:
		s.told[kubeapi.QueueAddRateLimited] = true
	default:
		if op.Verb != kubeapi.QueueForget || s.earnest(op) {
			s.told[op.Verb] = true
		}
	}
}

// earnest reports whether an operation is what it is in a usual worker: Forget
// after success, AddRateLimited after a failure.
func (s *otherSearch) earnest(op *queues.Op) bool {
	why := queues.ReasonFor(op.Instr)
	switch op.Verb {
	case kubeapi.QueueDone:
		return true
	case kubeapi.QueueForget:
		return why.IsSuccess()
	case kubeapi.QueueAddRateLimited:
		return why.Err != nil && !why.Kind && !why.Invalid || op.Helper != nil
	}
	return false
}

// aboutItem reports whether an operation is about the worker's item; one of a
// helper in another package is if the helper is handed it.
func (s *otherSearch) aboutItem(op *queues.Op) bool {
	if op.Helper == nil {
		return s.w.Items.Has(op.Item)
	}
	call := op.Call()
	return call != nil && slices.ContainsFunc(kubeapi.Operands(call.Common()), s.w.Items.Has)
}

func (s *otherSearch) judge() {
	for _, wrong := range s.wrong {
		if s.told[wrong.Verb] || wrong.Verb == kubeapi.QueueAddRateLimited && s.sharesWork(wrong.queue) {
			continue
		}
		s.reportOther(wrong)
	}
}

// sharesWork reports whether the workers of another queue, if it has any, do the
// same with an item: it is one for retries then.
func (s *otherSearch) sharesWork(other ssa.Value) bool {
	for _, w := range s.WorkersOf {
		if w == s.w || !s.Queues.Differ(w.Queue, s.own) || s.Queues.Differ(w.Queue, other) {
			continue
		}
		if w.Get.Parent() == s.w.Get.Parent() || slices.ContainsFunc(w.Items.Calls, func(h subject.Handover) bool {
			return slices.ContainsFunc(s.w.Items.Calls, func(own subject.Handover) bool { return own.Target == h.Target && !s.Handles(h.Target) })
		}) {
			return true
		}
	}
	return false
}

func (s *otherSearch) reportOther(wrong otherOp) {
	instr := wrong.Instr
	if slices.ContainsFunc(s.Mistaken, func(m subject.Mistake) bool { return m.Instr == instr && !s.Queues.Differ(m.Own, s.own) }) {
		return
	}
	s.checker.Mistaken = append(s.Mistaken, subject.Mistake{Verb: wrong.Verb, Instr: instr, Worker: s.w, Own: s.own})
	pos, end := syntax.Span(s.Pass.Files, instr)
	own := s.Queues.Name(s.own)
	what, harm, remedy := "", rule.Stuck, "call it on "+own
	switch wrong.Verb {
	case kubeapi.QueueDone:
		what = fmt.Sprintf("items of %s are never processed again: Done goes to %s", own, s.Queues.Name(wrong.queue))
	case kubeapi.QueueForget:
		harm = rule.Leak
		what = fmt.Sprintf("items of %s that have ever failed wait longer at each failure: Forget goes to %s", own, s.Queues.Name(wrong.queue))
	default:
		harm = rule.Loss
		what = fmt.Sprintf("items of %s that fail are lost: AddRateLimited puts them into %s, for other workers", own, s.Queues.Name(wrong.queue))
	}
	if wrong.Helper != nil {
		remedy = fmt.Sprintf("hand %s to %s", own, wrong.Helper.Name())
	}
	s.checker.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.OtherQueue, Harm: harm, Message: what + "; " + remedy,
		Related: []analysis.RelatedInformation{{Pos: s.w.Get.Pos(), Message: "the item is taken off " + own + " here"}},
	})
}

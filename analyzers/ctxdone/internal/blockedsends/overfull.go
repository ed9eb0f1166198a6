package blockedsends

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/report/rule"
)

// overfull reports a send in a function that a library calls many times at once and waits
// for, if nothing is received before the library returns: as soon as the channel is full,
// one of the calls never returns, and so the library does not.
func (s *sends) overfull(ch *channels.Channel) {
	if ch.Capacity < 0 {
		return
	}
	var send ssa.Instruction
	var run *ssa.Call
	for _, op := range ch.Ops {
		if op.Kind != channels.Send {
			continue
		}
		in := s.runsAtOnce(op.Fn(), ch.Capacity)
		if !op.Plain() || in == nil || run != nil && in != run || s.asksForRoom(op.Fn(), ch) || takesTurns(op.Fn()) {
			return
		}
		if run = in; send == nil {
			send = op.Instr
		}
	}
	if run == nil || ch.Made.Parent() != run.Parent() {
		return
	}
	for _, op := range ch.Ops {
		if op.Kind != channels.Send && (op.Fn() != run.Parent() || !blocks.Precedes(run, op.Instr) || blocks.Reaches(op.Instr.Block(), run.Block()) && op.Instr.Block() != run.Block()) {
			return
		}
	}
	room := "there is no receiver"
	if ch.Capacity > 0 {
		room = fmt.Sprintf("it has room for %d", ch.Capacity)
	}
	name := kubeapi.Callee(run.Common()).Name()
	s.Report.Report(rule.Finding{
		Pos: send.Pos(), Category: "blocking-send", Harm: rule.Stuck,
		Message: fmt.Sprintf("%s never returns if several of its calls send on %s: %s, and nothing receives before; send in a select with a default", name, channelName(ch), room),
		Related: []analysis.RelatedInformation{
			{Pos: run.Pos(), Message: "runs and waits for the calls here"},
			{Pos: ch.Made.Pos(), Message: "the channel is made here"},
		},
	})
}

// runsAtOnce returns the call that runs a literal more often at once than a number tells, and
// nobody else runs; nil if there is none.
func (s *sends) runsAtOnce(literal *ssa.Function, room int64) *ssa.Call {
	made := s.Graph.Closures(literal)
	if len(made) != 1 {
		return nil
	}
	var only *ssa.Call
	for v, use := range (values.Relation{Calls: s.Graph, Steps: values.Same | values.Held}).Uses(made[0]) {
		call, ok := use.(*ssa.Call)
		if !ok || only != nil {
			return nil
		}
		p, ok := kubeapi.RunsInParallel(kubeapi.Callee(call.Common()))
		_, args := kubeapi.Args(call.Common())
		if !ok || p.Work >= len(args) || args[p.Work] != v {
			return nil
		}
		if n, known := blocks.Number(args[p.Pieces]); known && n <= room {
			return nil
		}
		if endsOthers(literal) { // each worker sends once at most
			if p.Workers < 0 {
				return nil
			}
			if n, known := blocks.Number(args[p.Workers]); !known || n <= room {
				return nil
			}
		}
		only = call
	}
	return only
}

// endsOthers reports whether a function cancels a context of the function around it, so that
// no more calls begin.
func endsOthers(literal *ssa.Function) bool {
	return blocks.Any(literal, func(call ssa.CallInstruction) bool {
		_, captured := call.Common().Value.(*ssa.FreeVar)
		if load, ok := call.Common().Value.(*ssa.UnOp); ok {
			_, captured = load.X.(*ssa.FreeVar)
		}
		return captured && call.Common().Signature().Params().Len() == 0
	})
}

// takesTurns reports whether a function uses locks or atomic variables, which may keep all
// calls but one from sending.
func takesTurns(literal *ssa.Function) bool {
	return blocks.Any(literal, func(call ssa.CallInstruction) bool {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && callee.Pkg() != nil && (callee.Pkg().Path() == "sync" || callee.Pkg().Path() == "sync/atomic")
	})
}

// asksForRoom reports whether a function looks at how much a channel holds.
func (s *sends) asksForRoom(fn *ssa.Function, ch *channels.Channel) bool {
	return blocks.Any(fn, func(instr *ssa.Call) bool {
		of := calls.LengthOf(instr)
		return of != nil && (ch.MayBe(of) || ch.MayBe(calls.Behind(of)))
	})
}

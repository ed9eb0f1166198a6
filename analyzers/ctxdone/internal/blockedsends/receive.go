package blockedsends

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/report/rule"
)

// receive reports a receive that waits for a goroutine which may end without
// having sent or closed anything, and a range over a channel that nobody
// closes.
func (s *sends) receive(ch *channels.Channel, receive peer, senders []peer) {
	recv, ok := receive.Op.Instr.(*ssa.UnOp)
	if !ok || receive.Callback || len(senders) == 0 || s.counted(recv) || freesSlot(ch, recv, senders) {
		return
	}
	why := unclosed(recv, senders)
	if why == "" {
		why = s.silent(ch, receive, senders)
	}
	if why == "" || s.Once(receive.Frame) && !s.Report.Strict() {
		return
	}
	name := channelName(ch)
	who := "the goroutine"
	if receive.Own() {
		who = subject.FuncName(receive.Frame)
	}
	s.Report.Report(rule.Finding{
		Pos: recv.Pos(), Category: "blocking-send",
		// Who ranges over a channel that nobody closes is a goroutine of a pool as a rule, and does
		// as much as is to be done. A sender that may end without a word has mostly sent before.
		Harm:    rule.Hygiene,
		Message: fmt.Sprintf("%s waits forever to receive from %s: %s; close it in a defer of the sender", who, name, why),
		Related: s.RelatedTo(receive.Frame),
	})
}

// freesSlot reports whether a receive frees a slot: what it gets is not used, the channel
// has room, and every sender takes a slot before it starts a goroutine in the same round.
func freesSlot(ch *channels.Channel, recv *ssa.UnOp, senders []peer) bool {
	if ch.Capacity == 0 || recv.CommaOk || len(*recv.Referrers()) > 0 {
		return false
	}
	return !slices.ContainsFunc(senders, func(send peer) bool { return send.Op.Kind != channels.Send || !startsBehind(send.Op.Instr) })
}

// startsBehind reports whether a round of a loop starts a goroutine behind an
// instruction.
func startsBehind(instr ssa.Instruction) bool {
	return blocks.Any(instr.Parent(), func(start *ssa.Go) bool {
		return blocks.Precedes(instr, start) && slices.ContainsFunc(loops.Of(instr.Parent()), func(loop *loops.Loop) bool {
			return loop.Blocks[instr.Block()] && loop.Blocks[start.Block()]
		})
	})
}

// unclosed reports why a range over the channel does not end, or nothing.
func unclosed(recv *ssa.UnOp, senders []peer) string {
	if !recv.CommaOk || slices.ContainsFunc(senders, func(send peer) bool { return send.Op.Kind != channels.Send }) {
		return ""
	}
	for _, loop := range loops.Of(recv.Parent()) {
		if !loop.Blocks[recv.Block()] {
			continue
		}
		exits := loop.Exits()
		if len(exits) != 1 || !slices.Contains(values.Extracted(recv, 1), exits[0].Cond) {
			return ""
		}
		return "nobody closes the channel, and only that ends the range"
	}
	return ""
}

// silent reports why nothing may come, or nothing: each goroutine that sends
// or closes can end without doing so.
func (s *sends) silent(ch *channels.Channel, receive peer, senders []peer) string {
	if !receive.Own() {
		return ""
	}
	// A range goes on until the channel is closed, whatever is sent.
	what := "send"
	if recv := receive.Op.Instr.(*ssa.UnOp); recv.CommaOk && blocks.Repeats(recv.Block()) {
		what = "close"
		senders = slices.DeleteFunc(slices.Clone(senders), func(send peer) bool { return send.Op.Kind == channels.Send })
	}
	var at token.Pos
	bodies := make(map[*ssa.Function]bool)
	for _, send := range senders {
		if send.Own() || send.Callback || send.Op.Kind == channels.HandOver || send.Body == nil {
			return ""
		}
		bodies[send.Body] = true
	}
	// Of several senders one may well speak for the others, and a sender that goes round may
	// have sent before: which of them ends first is not to be told.
	if sent := func(send peer) bool { return send.Several || send.Repeats }; !s.Report.Strict() && (len(bodies) > 1 || slices.ContainsFunc(senders, sent)) {
		return ""
	}
	// A second receive may be meant for another sender.
	for _, send := range senders {
		if !bodies[send.Body] {
			continue
		}
		bodies[send.Body] = false
		exit := s.endsSilently(ch, send.Body, what == "send")
		if exit == nil {
			return ""
		}
		if at == token.NoPos {
			at = exit.Pos()
		}
	}
	if len(bodies) == 0 {
		return ""
	}
	where := ""
	if at.IsValid() {
		where = " (" + s.LineFrom(at, receive.Op.Instr.Pos()) + ")"
	}
	return "the sender may end without a " + what + where
}

// endsSilently returns a return of fn that is reached without a close of the
// channel, or a send to it if that is enough.
func (s *sends) endsSilently(ch *channels.Channel, fn *ssa.Function, sendEnough bool) ssa.Instruction {
	if len(fn.Blocks) == 0 {
		return nil
	}
	does := make(map[ssa.Instruction]bool)
	inside := make(map[*ssa.Function]bool)
	taken := make(map[ssa.Value]paths.Truth) // the case of a select that sends
	for _, op := range ch.Ops {
		if op.Kind != channels.Close && (op.Kind != channels.Send || !sendEnough) {
			continue
		}
		inside[op.Fn()] = true
		if op.Select != nil && op.Select.Blocking {
			for _, cond := range casesOf(op) {
				taken[cond] = paths.Unknown
			}
			continue
		}
		does[op.Instr] = true
	}
	graph := paths.NewGraph(fn, s.Graph, nil)
	path, ok := graph.Search(nil, 0, taken, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		for cond := range taken {
			if known.Of(cond) == paths.True {
				return stage, paths.Prune
			}
		}
		if graph.IsExit(n) {
			return stage, paths.Found
		}
		if does[n.Instr] {
			if _, deferred := n.Instr.(*ssa.Defer); !deferred || n.Deferred {
				return stage, paths.Prune
			}
		}
		if call, ok := n.Instr.(ssa.CallInstruction); ok && n.Joins == nil {
			for _, target := range s.Graph.Callees(call).Funcs {
				if inside[target] && paths.Literal(s.Graph, call.Common().Value) == nil {
					return stage, paths.Prune
				}
			}
			// A literal that is handed on may well send.
			for _, arg := range call.Common().Args {
				if closure, ok := arg.(*ssa.MakeClosure); ok && inside[closure.Fn.(*ssa.Function)] {
					return stage, paths.Prune
				}
			}
		}
		return stage, paths.Continue
	})
	if !ok {
		return nil
	}
	return path[len(path)-1].Instr
}

// casesOf returns the conditions that ask whether the case of a select was
// taken.
func casesOf(op channels.Op) []ssa.Value {
	var found []ssa.Value
	for branch := range blocks.InstrsOf[*ssa.If](op.Fn()) {
		if sel, state := loops.SelectCase(branch.Cond); sel == op.Select && state == op.State {
			found = append(found, branch.Cond)
		}
	}
	return found
}

package endlessloops

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/rule"
)

// spinsOnDone reports the cases of a loop's selects that are taken when a
// context is done and lead back to the select: the case is ready forever.
func (c *loopCheck) spinsOnDone(loop *loops.Loop) bool {
	reported := c.asksInVain(loop)
	for branch := range loops.InstrsOf[*ssa.If](loop) {
		sel, state := loops.SelectCase(branch.Cond)
		if sel == nil || state == nil || state.Dir != types.RecvOnly || !loop.Blocks[sel.Block()] || !c.innermost(loop, sel) {
			continue
		}
		if loop.Blocks[branch.Block().Succs[0]] && c.tellsToStop(loop, state.Chan) && c.comesBack(loop, sel, branch.Block()) {
			c.reportSpin(loop, state)
			reported = true
		}
	}
	return reported
}

func (c *loopCheck) reportSpin(loop *loops.Loop, state *ssa.SelectState) {
	finding := rule.Finding{Pos: state.Pos, Category: "endless-loop", Message: spinMessage, Harm: c.spinHarm(loop)}
	if who, where := c.Awaited(loop.Head.Instrs[0]); who != "" {
		finding.Message = who + " waits forever: once the context has ended this loop spins, since a break leaves only the select; return from the case"
		subject.KeepWaiting(&finding, where)
	}
	c.Report.Report(finding)
}

// spinHarm tells who is harmed by a loop that spins once its context has ended: whoever
// waits for it. In a goroutine of its own that is the end of the process as a rule, which
// takes the loop with it.
func (c *loopCheck) spinHarm(loop *loops.Loop) rule.Harm {
	if subject.HoldsUp(c.held(loop.Head.Parent())) {
		return rule.Stuck
	}
	return rule.Hygiene
}

// asksInVain reports the selects of a loop that nothing leaves whose case on a
// context's Done does nothing, as one does that holds a bare break.
func (c *loopCheck) asksInVain(loop *loops.Loop) bool {
	if !loop.NeverLeft() {
		return false
	}
	for _, wait := range loop.Waits() {
		sel, ok := wait.Instr.(*ssa.Select)
		if !ok || !c.innermost(loop, sel) {
			continue
		}
		for _, state := range sel.States {
			if state.Dir == types.RecvOnly && c.tellsToStop(loop, state.Chan) {
				c.reportSpin(loop, state)
				return true
			}
		}
	}
	return false
}

// innermost reports whether an instruction stands in no loop inside the loop.
func (c *loopCheck) innermost(loop *loops.Loop, instr ssa.Instruction) bool {
	return !slices.ContainsFunc(loops.Of(instr.Parent()), func(inner *loops.Loop) bool {
		return inner.Head != loop.Head && loop.Blocks[inner.Head] && inner.Blocks[instr.Block()] && len(inner.Blocks) < len(loop.Blocks)
	})
}

// tellsToStop reports whether a channel stays ready once it is: it is a
// context's Done, or a stop channel that is closed. A channel of empty structs
// may as well wake the loop up, so there has to be some evidence.
func (c *loopCheck) tellsToStop(loop *loops.Loop, ch ssa.Value) bool {
	if ctx := kubeapi.DoneOf(ch); ctx != nil {
		return c.staysTheSame(loop, ctx)
	}
	if !kubeapi.IsStopChannel(ch.Type()) {
		return false
	}
	switch ch := ch.(type) {
	case *ssa.Parameter:
		return c.isStopParam(ch)
	case *ssa.UnOp:
		addr, ok := ch.X.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		field := calls.FieldOf(addr.X.Type(), addr.Field)
		for _, source := range c.Contexts.AtHand(loop.Head.Parent()) {
			if source.Stop && source.Kind == contexts.FromField && source.Fields[len(source.Fields)-1] == field {
				return ch.Type().Underlying().(*types.Chan).Dir() != types.RecvOnly
			}
		}
	}
	return false
}

// staysTheSame reports whether a context is the same in each round of a loop:
// an attempt may well have a context of its own.
func (c *loopCheck) staysTheSame(loop *loops.Loop, ctx ssa.Value) bool {
	for _, origin := range c.Contexts.Origins(ctx) {
		switch origin.Kind {
		case contexts.Unknown, contexts.Global:
			return false
		case contexts.Field:
			if stored, _ := c.Contexts.FieldOrigins(origin.Field); len(stored) > 1 {
				return false
			}
		}
		for _, step := range origin.Steps {
			if step.Call == nil || step.Call.Parent() != loop.Head.Parent() || loop.Blocks[step.Call.Block()] {
				return false
			}
		}
	}
	return len(c.Contexts.Origins(ctx)) == 1
}

// isStopParam reports whether a parameter is a stop channel: its callers pass a
// context's Done, or the function hands it to what runs until it is closed.
func (c *loopCheck) isStopParam(param *ssa.Parameter) bool {
	args, _ := c.Graph.Arguments(param)
	return slices.ContainsFunc(args, func(arg calls.Argument) bool { return kubeapi.DoneOf(arg.Value) != nil }) ||
		blocks.AnyUse(param, func(call ssa.CallInstruction) bool {
			callee := kubeapi.Callee(call.Common())
			return kubeapi.IsEndless(callee) || callee != nil && strings.HasPrefix(callee.Name(), "WaitFor")
		})
}

// comesBack reports whether a loop whose context has ended can run from the
// case of a select to that select again without waiting for anything else, and
// cannot leave on the way but inside the case itself.
func (c *loopCheck) comesBack(loop *loops.Loop, sel *ssa.Select, branch *ssa.BasicBlock) bool {
	body := branch.Succs[0]
	again := false
	d := &dead{check: c, loop: loop}
	explorer := &loops.Explorer{Loop: loop, World: d.truth, Stop: func(instr ssa.Instruction) bool {
		if instr == sel {
			again = true
			return true
		}
		if c.neverReturns(instr) {
			return true
		}
		wait, ok := loops.WaitOf(instr)
		if other, isSelect := instr.(*ssa.Select); ok && isSelect {
			return other.Blocking
		}
		return ok && wait.Instr == instr
	}}
	remaining, ok := explorer.ExitsAfter(branch, body)
	if !ok || !again {
		return false
	}
	for _, exit := range remaining {
		if len(body.Preds) != 1 || !body.Dominates(exit.From) || !isErrorCheck(exit.Cond) {
			return false
		}
	}
	return !setsFlag(loop, body) && (len(remaining) == 0 || !c.changesState(loop, body))
}

// changesState reports whether a case stores or signals something that may end
// the loop in a later round.
func (c *loopCheck) changesState(loop *loops.Loop, body *ssa.BasicBlock) bool {
	for instr := range loops.InstrsOf[ssa.Instruction](loop) {
		if !body.Dominates(instr.Block()) {
			continue
		}
		switch instr := instr.(type) {
		case *ssa.Send, *ssa.MapUpdate:
			return true
		case *ssa.Store:
			if !calls.IsOwn(instr.Addr) {
				return true
			}
		case *ssa.Call:
			if calls.IsBuiltin(instr, "close") || kubeapi.IsCancel(instr.Common().Value.Type()) {
				return true
			}
		}
	}
	return false
}

// setsFlag reports whether a case sets a flag to another value than it has before the loop, and a later
// round leaves the loop for it, as one that lets it do its work once more does: where nothing is waited
// for, or at a timer.
func setsFlag(loop *loops.Loop, body *ssa.BasicBlock) bool {
	asked := values.Relation{Steps: values.Merged | values.Computed}
	return len(body.Preds) == 1 && slices.ContainsFunc(loop.Exits(), func(exit loops.Exit) bool {
		return exit.Cond != nil && comesByItself(loop, exit.From) && asked.Any(exit.Cond, func(v ssa.Value) bool {
			flag, ok := v.(*ssa.Phi)
			return ok && flag.Block() == loop.Head && isSetIn(loop, body, flag)
		})
	})
}

// isSetIn reports whether a flag of a loop becomes another constant in a case than it is before the loop.
func isSetIn(loop *loops.Loop, body *ssa.BasicBlock, flag *ssa.Phi) bool {
	var before *ssa.Const
	for i, pred := range loop.Head.Preds {
		if constant, ok := flag.Edges[i].(*ssa.Const); ok && !loop.Blocks[pred] {
			before = constant
		}
	}
	return before != nil && values.Relation{Steps: values.Merged}.Any(flag, func(v ssa.Value) bool {
		phi, ok := v.(*ssa.Phi)
		if !ok || !loop.Blocks[phi.Block()] {
			return false
		}
		for i, pred := range phi.Block().Preds {
			if constant, ok := phi.Edges[i].(*ssa.Const); ok && body.Dominates(pred) && constant.Value != before.Value {
				return true
			}
		}
		return false
	})
}

// comesByItself reports whether a block of a loop is in no case of a select, or in a timer's.
func comesByItself(loop *loops.Loop, block *ssa.BasicBlock) bool {
	for branch := range loops.InstrsOf[*ssa.If](loop) {
		if _, state := loops.SelectCase(branch.Cond); state != nil && branch.Block().Succs[0].Dominates(block) && !loops.IsTimer(state.Chan) {
			return false
		}
	}
	return true
}

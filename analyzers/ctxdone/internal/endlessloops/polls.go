package endlessloops

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// polls returns the way from the queue whose worker a loop holds until something that it looks
// up in each round is as it wants, or cannot be looked up, without a limit; nil if there is none.
func (c *loopCheck) polls(loop *loops.Loop, exits []loops.Exit) *entrypoints.Path {
	if !waitsForTime(loop) || c.awaitsServer(loop) || !c.untilState(loop, exits) {
		return nil
	}
	path := c.Entries.PathTo(loop.Head.Parent(), kubeapi.Reconcile, kubeapi.Sync, kubeapi.Worker)
	if !subject.HoldsUp(path) || c.hasTimeout(loop, path) {
		return nil
	}
	return path
}

// untilState reports whether all ways out of a loop depend on nothing but what it looks up in
// each round, and on whether it could; one of them on what it has found.
func (c *loopCheck) untilState(loop *loops.Loop, exits []loops.Exit) bool {
	w := &lookups{check: c, loop: loop}
	found := false
	for _, exit := range exits {
		w.seen = make(map[ssa.Value]bool)
		if exit.Cond == nil || w.around(exit.From) == other {
			return false
		}
		switch {
		case asksContext(exit.Cond):
			return false // somebody has thought about it
		case isErrorCheck(exit.Cond):
			found = found || exit.When && isNotFound(exit.Cond)
		case readsOn(exit.Cond):
			return false
		case w.cond(exit.Cond, exit.When, 0) == lookup, isAnswer(loop, exit.Cond):
			found = true
		default:
			return false
		}
	}
	return found
}

// asksContext reports whether a condition asks if a context has ended.
func asksContext(cond ssa.Value) bool {
	compare, ok := cond.(*ssa.BinOp)
	return ok && (loops.ErrOf(compare.X) != nil || loops.ErrOf(compare.Y) != nil)
}

// isNotFound reports whether a condition asks if an object is gone.
func isNotFound(cond ssa.Value) bool {
	call, ok := cond.(*ssa.Call)
	return ok && tellsNotFound(kubeapi.Callee(call.Common()))
}

func tellsNotFound(fn *types.Func) bool { return kubeapi.ErrorUseOf(fn) == kubeapi.TellsNotFound }

// readsOn reports whether a condition asks if a list goes on: that ends with the list.
func readsOn(cond ssa.Value) bool {
	compare, ok := cond.(*ssa.BinOp)
	return ok && (isContinue(compare.X) || isContinue(compare.Y))
}

func isContinue(v ssa.Value) bool {
	if field := calls.LoadedField(v); field != nil {
		return field.Name() == "Continue"
	}
	call, ok := v.(*ssa.Call)
	return ok && kubeapi.Callee(call.Common()) != nil && kubeapi.Callee(call.Common()).Name() == "GetContinue"
}

// isAnswer reports whether a condition is the answer of a call that asks for a state, and may fail.
func isAnswer(loop *loops.Loop, cond ssa.Value) bool {
	asked, _ := values.Asked(cond, true)
	answer, ok := asked.(*ssa.Extract)
	if !ok {
		return false
	}
	call, ok := answer.Tuple.(*ssa.Call)
	if !ok || !loop.Blocks[call.Block()] || !kubeapi.CanFail(call.Common().Signature()) {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && kubeapi.IsAskingName(callee.Name())
}

// hasTimeout reports whether something that a loop calls, or that leads to it, gets a context that
// ends after a time.
func (c *loopCheck) hasTimeout(loop *loops.Loop, path *entrypoints.Path) bool {
	return slices.ContainsFunc(path.Edges(), func(edge *entrypoints.Edge) bool { return c.limited(edge.Site, nil) }) ||
		slices.ContainsFunc(slices.Collect(loops.InstrsOf[ssa.CallInstruction](loop)), func(call ssa.CallInstruction) bool { return c.limited(call, loop) })
}

// limited reports whether a call gets a context with a timeout that was set outside of the loop.
func (c *loopCheck) limited(call ssa.CallInstruction, loop *loops.Loop) bool {
	_, args := kubeapi.Args(call.Common())
	return slices.ContainsFunc(args, func(arg ssa.Value) bool {
		return kubeapi.IsContext(arg.Type()) && slices.ContainsFunc(c.Contexts.Origins(arg), func(o contexts.Origin) bool {
			return slices.ContainsFunc(o.Steps, func(step contexts.Step) bool {
				return step.Kind == contexts.Timeout && (loop == nil || step.Call == nil || !loop.Blocks[step.Call.Block()])
			})
		})
	})
}

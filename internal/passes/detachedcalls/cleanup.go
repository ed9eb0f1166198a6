package detachedcalls

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// end is a place after which a context is known to have ended, or to be ended
// by the program itself: an instruction, or the beginning of a block.
type end struct {
	after ssa.Instruction
	block *ssa.BasicBlock
	// rollback tells that a call under a live context has failed, which may or
	// may not be because that has ended: only undoing is right then.
	rollback bool
}

// covers reports whether instr runs only after the end.
func (e end) covers(instr ssa.Instruction) bool {
	if e.after == nil {
		return e.block.Dominates(instr.Block())
	}
	return blocks.Precedes(e.after, instr)
}

// isCleanUp reports whether an instruction is there to clean up: it is deferred,
// runs after the end of a context, or undoes what has failed.
func (c *computer) isCleanUp(instr ssa.Instruction) bool {
	if _, ok := instr.(*ssa.Defer); ok {
		return true
	}
	return c.isCleanUpAt(instr, undoes(instr), 0)
}

// cleaning is a function, and whether what it does undoes something.
type cleaning struct {
	fn   *ssa.Function
	undo bool
}

// cleansUp reports whether fn is there to clean up: all that runs it is, it
// stops what its receiver has begun, or it is called when leadership is lost. What
// undoes something may also take back what has failed.
func (c *computer) cleansUp(fn *ssa.Function, undo bool, depth int) bool {
	if depth > maxDepth {
		return false
	}
	key := cleaning{fn, undo}
	if known, ok := c.cleans[key]; ok {
		return known
	}
	c.cleans[key] = false // for recursion
	cleans := c.isCleanUpFunc(fn, undo, depth)
	c.cleans[key] = cleans
	return cleans
}

func (c *computer) isCleanUpFunc(fn *ssa.Function, undo bool, depth int) bool {
	if obj, ok := fn.Object().(*types.Func); ok && obj.Signature().Params().Len() == 0 && kubeapi.IsStop(obj) {
		return true
	}
	entries := c.entries.Of(fn)
	if len(entries) > 0 {
		return slices.ContainsFunc(entries, func(entry *entrypoints.Entry) bool {
			return entry.Kind == kubeapi.LeaderCallback && strings.Contains(entry.What, "Stopped")
		})
	}
	if slices.ContainsFunc(c.graph.Closures(fn), func(closure *ssa.MakeClosure) bool { return c.isCleanUpAt(closure, undo, depth+1) }) {
		return true
	}
	edges := c.into[fn]
	return len(edges) > 0 && (fn.Object() == nil || !fn.Object().Exported()) &&
		!slices.ContainsFunc(edges, func(edge entrypoints.Edge) bool { return !c.isCleanUpAt(edge.Site, undo, depth+1) })
}

// isCleanUpAt is [computer.isCleanUp] with a bound on recursion.
func (c *computer) isCleanUpAt(instr ssa.Instruction, undo bool, depth int) bool {
	if _, ok := instr.(*ssa.Defer); ok {
		return true
	}
	for _, e := range c.endsOf(instr.Parent()) {
		if e.covers(instr) && (!e.rollback || undo && !toldApart(instr)) {
			return true
		}
	}
	return c.cleansUp(instr.Parent(), undo, depth)
}

// maxDepth bounds how far calls are followed back.
const maxDepth = 6

func (c *computer) endsOf(fn *ssa.Function) []end {
	known, ok := c.ends[fn]
	if ok {
		return known
	}
	var ends []end
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.ARROW && c.tellsEnd(fn, instr.X) {
				ends = append(ends, end{after: instr})
			}
		case *ssa.Call:
			if cancelsOthers(instr.Common()) || kubeapi.IsEndless(kubeapi.Callee(instr.Common())) {
				ends = append(ends, end{after: instr})
			}
		case *ssa.Select:
			ends = append(ends, c.endsOfSelect(instr)...)
		case *ssa.If:
			ends = append(ends, c.endsOfIf(instr)...)
		}
	}
	c.ends[fn] = ends
	return ends
}

// cancelsOthers reports whether a call cancels a context that was not made here.
func cancelsOthers(common *ssa.CallCommon) bool {
	if !kubeapi.IsCancel(common.Value.Type()) {
		return false
	}
	load, ok := common.Value.(*ssa.UnOp)
	if !ok {
		_, isParam := common.Value.(*ssa.Parameter)
		return isParam
	}
	_, local := load.X.(*ssa.Alloc)
	return !local
}

// tellsEnd reports whether what fn receives from ch tells that something is to
// end: a context's Done, a stop channel, a signal.
func (c *computer) tellsEnd(fn *ssa.Function, ch ssa.Value) bool {
	if kubeapi.DoneOf(ch) != nil {
		return true
	}
	t, ok := ch.Type().Underlying().(*types.Chan)
	if !ok {
		return false
	}
	if kubeapi.IsNamed(t.Elem(), "os", "Signal") {
		return true
	}
	if !kubeapi.IsStopChannel(ch.Type()) {
		return false
	}
	if t.Dir() == types.RecvOnly {
		return true
	}
	// Others may be semaphores, or tell that something is done.
	field := calls.LoadedField(ch)
	return slices.ContainsFunc(c.contexts.AtHand(fn), func(s contexts.Source) bool {
		if !s.Stop {
			return false
		}
		if len(s.Fields) > 0 {
			return field != nil && s.Fields[len(s.Fields)-1].Origin() == field
		}
		return s.Param == ch
	})
}

// endsOfSelect finds the cases of a select in which something has ended.
func (c *computer) endsOfSelect(sel *ssa.Select) []end {
	var ends []end
	for i, state := range sel.States {
		if state.Dir != types.RecvOnly || !c.tellsEnd(sel.Parent(), state.Chan) {
			continue
		}
		for index := range blocks.UsesOf[*ssa.Extract](sel) {
			if index.Index != 0 {
				continue
			}
			for cmp := range blocks.UsesOf[*ssa.BinOp](index) {
				if at, ok := blocks.Number(cmp.Y); !ok || at != int64(i) || cmp.Op != token.EQL {
					continue
				}
				for branch := range blocks.UsesOf[*ssa.If](cmp) {
					ends = append(ends, end{block: branch.Block().Succs[0]})
				}
			}
		}
	}
	return ends
}

// endsOfIf finds the branches that are taken when a context has ended or a call
// under one has failed.
func (c *computer) endsOfIf(branch *ssa.If) []end {
	cond, holds := values.Asked(branch.Cond, true)
	pick := func(yes bool) *ssa.BasicBlock {
		block := blocks.Side(branch, yes == holds)
		if len(block.Preds) != 1 {
			return nil // others come in
		}
		return block
	}
	var found end
	switch cond := cond.(type) {
	case *ssa.Call:
		if kubeapi.TellsEndOfContext(cond.Common()) {
			found.block = pick(true)
		}
	case *ssa.BinOp:
		if cond.Op != token.NEQ && cond.Op != token.EQL || !kubeapi.IsError(cond.X.Type()) {
			return nil
		}
		yes := cond.Op == token.NEQ
		if !calls.IsNil(cond.Y) {
			if kubeapi.IsEndOfContext(cond.Y) {
				found.block = pick(!yes)
			}
			break
		}
		if call, ok := cond.X.(*ssa.Call); ok && kubeapi.Callee(call.Common()) != nil && kubeapi.Callee(call.Common()).FullName() == "(context.Context).Err" {
			found.block = pick(yes)
			break
		}
		if c.failedLive(cond.X) {
			found.block, found.rollback = pick(yes), true
		}
	}
	if found.block == nil {
		return nil
	}
	return []end{found}
}

// failedLive reports whether err is that of a call under a live context.
func (c *computer) failedLive(err ssa.Value) bool {
	if inner := c.graph.Returned(err); inner != nil && inner != err {
		return c.failedLive(inner) // a literal's
	}
	call, _ := calls.CallOf(err)
	return call != nil && slices.ContainsFunc(kubeapi.Operands(call.Common()), func(operand ssa.Value) bool {
		return operand != nil && kubeapi.IsContext(operand.Type()) &&
			slices.ContainsFunc(c.contexts.Origins(operand), func(o contexts.Origin) bool { return o.Kind != contexts.Detached })
	})
}

// undoes reports whether a call takes something back, and no condition has
// told that the failure before it is of another kind.
func undoes(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && !toldApart(instr) && isUndoing(callee.Name())
}

// isUndoing reports whether a function of that name takes something back.
func isUndoing(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"delete", "remove", "clean", "rollback", "revert", "undo", "release", "unlock", "abort", "destroy", "detach"}, func(word string) bool {
		return strings.HasPrefix(name, word)
	})
}

// toldApart reports whether an instruction runs only if a function has said yes to an
// error: apierrors.IsAlreadyExists and its like.
func toldApart(at ssa.Instruction) bool {
	for branch, held := range blocks.Decided(at.Block()) {
		if call, ok := branch.Cond.(*ssa.Call); ok && held && len(call.Common().Args) > 0 && kubeapi.IsError(call.Common().Args[0].Type()) && !kubeapi.TellsEndOfContext(call.Common()) {
			return true
		}
	}
	return false
}

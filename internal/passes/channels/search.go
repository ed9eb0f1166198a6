package channels

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// search looks for a path on which the receiver goes away.
func (r *receiver) search(start ssa.Instruction) *Leave {
	assume := make(map[ssa.Value]paths.Truth)
	for _, e := range slices.Concat(r.done, r.gone) {
		track(assume, e.cond)
	}
	for _, conds := range r.asked {
		for _, cond := range conds {
			track(assume, cond)
		}
	}
	starts := []*paths.Node{nil}
	if start != nil {
		if starts = r.graph.At(start); len(starts) == 0 {
			return nil
		}
	}
	for _, node := range starts {
		var leave *Leave
		path, ok := r.graph.Search(node, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			return r.visit(n, stage, known, start, &leave)
		})
		if !ok {
			continue
		}
		if leave == nil || leave.At == token.NoPos {
			leave = r.explain(path)
		}
		return leave
	}
	return nil
}

// track makes a search remember a condition.
func track(assume map[ssa.Value]paths.Truth, cond ssa.Value) {
	assume[cond] = paths.Unknown
	if compare, ok := cond.(*ssa.BinOp); ok {
		for _, v := range []ssa.Value{compare.X, compare.Y} {
			if _, isConst := v.(*ssa.Const); !isConst && kubeapi.IsError(v.Type()) {
				assume[v] = paths.Unknown
			}
		}
	}
}

func holds(e edge, known paths.Known) bool {
	return known.Of(e.cond) == paths.TruthOf(e.when) &&
		!slices.ContainsFunc(e.before, func(cond ssa.Value) bool { return known.Of(cond) == paths.True })
}

// Stages of a path.
const (
	hasReceived = 1 << iota // something was received
	leftBelow               // a function that is called has stopped receiving
)

func (r *receiver) visit(n *paths.Node, stage int, known paths.Known, start ssa.Instruction, leave **Leave) (int, paths.Step) {
	var gone *edge
	for k := range r.gone {
		if holds(r.gone[k], known) {
			gone = &r.gone[k]
		}
	}
	// What is done is done, unless the select was left by another case.
	for _, e := range r.done {
		if holds(e, known) && (gone == nil || gone.leave.Failed) {
			return stage, paths.Prune
		}
	}
	if r.graph.IsExit(n) {
		switch {
		case gone != nil:
			found := gone.leave
			*leave = &found
			return stage, paths.Found
		case stage&leftBelow != 0:
			found := *r.below
			*leave = &found
			return stage, paths.Found
		case !r.q.Many, r.q.Several:
			return stage, paths.Found
		case stage&hasReceived == 0 && start != nil:
			return stage, paths.Found
		}
		return stage, paths.Prune
	}
	switch instr := n.Instr.(type) {
	case *ssa.UnOp:
		if r.isReceive(instr) {
			if !r.q.Many || gone != nil {
				return stage, paths.Prune
			}
			return stage | hasReceived, paths.Continue
		}
	case *ssa.Select:
		if !r.selects(instr) {
			break
		}
		if gone != nil && gone.from != instr {
			return stage, paths.Prune // takes what is left
		}
		if !r.q.Many && instr.Blocking && !slices.ContainsFunc(instr.States, func(state *ssa.SelectState) bool { return state.Dir != types.RecvOnly || !r.receives(state.Chan) }) {
			return stage, paths.Prune
		}
		return stage | hasReceived, paths.Continue
	case ssa.CallInstruction:
		if instr == start || n.Joins != nil {
			break
		}
		if _, deferred := instr.(*ssa.Defer); deferred && !n.Deferred {
			break
		}
		receives, left := r.receivesInCall(instr)
		switch {
		case left != nil && !isGo(instr):
			r.below = left
			return stage | leftBelow, paths.Continue
		case receives && left == nil:
			return stage, paths.Prune
		}
	}
	return stage, paths.Continue
}

// receivesInCall reports whether a call, or a goroutine that it starts,
// receives, and how it stops, nil if it stays. Calls that a graph has spliced
// are seen there.
func (r *receiver) receivesInCall(call ssa.CallInstruction) (receives bool, left *Leave) {
	if _, isBuiltin := call.Common().Value.(*ssa.Builtin); isBuiltin {
		return false, nil
	}
	for _, op := range r.ch.Ops {
		if op.Kind != HandOver || op.Instr != call || !op.Use.Receives {
			continue
		}
		if op.Use.GivesUp == "" {
			return true, nil
		}
		return true, &Leave{At: call.Pos(), Elsewhere: op.Use.GivesUp}
	}
	if !isGo(call) && paths.Literal(r.info.graph, call.Common().Value) != nil {
		return false, nil
	}
	for _, target := range r.info.graph.Callees(call).Funcs {
		if target == r.fn || !r.info.receivesSomewhere(r, target, make(map[*ssa.Function]bool), 0) {
			continue
		}
		receives = true
		if left = r.info.leaves(r.ch, target, nil, r.q, r.depth+1); left == nil {
			return true, nil
		}
	}
	return receives, left
}

func isGo(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Go)
	return ok
}

// receivesSomewhere reports whether fn, or what it calls, receives.
func (i *Channels) receivesSomewhere(r *receiver, fn *ssa.Function, seen map[*ssa.Function]bool, depth int) bool {
	if seen[fn] || depth > 4 {
		return false
	}
	seen[fn] = true
	for instr := range blocks.Instrs(fn) {
		if r.isReceive(instr) {
			return true
		}
		switch instr := instr.(type) {
		case *ssa.Select:
			if r.selects(instr) {
				return true
			}
		case ssa.CallInstruction:
			for _, target := range i.graph.Callees(instr).Funcs {
				if i.receivesSomewhere(r, target, seen, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// explain says by which branch a path leaves: the last case of a select that
// it takes, or the return.
func (r *receiver) explain(path paths.Path) *Leave {
	leave := &Leave{At: path[len(path)-1].Instr.Pos()}
	if !leave.At.IsValid() {
		leave.At = r.fn.Pos() // the end of the function
		if syntax := r.fn.Syntax(); syntax != nil {
			leave.At = syntax.End() - 1
		}
	}
	for k := len(path) - 2; k >= 0; k-- {
		branch, ok := path[k].Instr.(*ssa.If)
		if !ok {
			continue
		}
		sel, state := loops.SelectCase(branch.Cond)
		if sel == nil || !r.selects(sel) {
			continue
		}
		if len(path[k].Succs) == 2 && path[k+1] == path[k].Succs[0] && state != nil {
			leave.Chan, leave.At = state.Chan, state.Pos
			known := r.info.Of(state.Chan)
			leave.Within = known != nil && known.Made != nil
		} else if !sel.Blocking {
			leave.Default = true
		}
		break
	}
	return leave
}

package loops

import (
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// World is what is taken for granted while a loop is explored: the truth of
// values that the loop computes. Unknown leaves a value open.
type World func(v ssa.Value) paths.Truth

// maxStates bounds an exploration.
const maxStates = 3000

// Explorer follows the paths of a loop in a world.
type Explorer struct {
	Loop  *Loop
	World World
	// Stop, which may be nil, ends a path at an instruction.
	Stop func(instr ssa.Instruction) bool

	cells map[*ssa.Alloc]bool
}

// Exits returns the ways out of the loop that remain in the world; ok is false
// if the loop is too large to tell.
func (e *Explorer) Exits() (remaining []Exit, ok bool) {
	var first []state
	for _, pred := range e.Loop.Head.Preds {
		if !e.Loop.Blocks[pred] {
			first = append(first, state{block: e.Loop.Head, pred: pred})
		}
	}
	return e.from(first...)
}

// ExitsAfter returns the ways out that remain on the paths that begin with an
// edge.
func (e *Explorer) ExitsAfter(from, to *ssa.BasicBlock) (remaining []Exit, ok bool) {
	return e.from(state{block: to, pred: from})
}

// ExitsBehind returns the ways out that remain on the paths that begin behind
// an instruction of the loop.
func (e *Explorer) ExitsBehind(instr ssa.Instruction) (remaining []Exit, ok bool) {
	return e.from(state{block: instr.Block(), behind: instr})
}

// state is a block that is about to run, with what is known on the path. The
// facts are those of phis and variables; all else is computed from them.
type state struct {
	block, pred *ssa.BasicBlock
	behind      ssa.Instruction // where in the block it begins, nil for its head
	facts       facts
}

type facts map[ssa.Value]paths.Truth

func (e *Explorer) from(queue ...state) (remaining []Exit, ok bool) {
	visited := make(map[*ssa.BasicBlock][]state)
	states := 0
	found := make(map[[2]*ssa.BasicBlock]bool)
	for len(queue) > 0 {
		st := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if slices.ContainsFunc(visited[st.block], st.same) {
			continue
		}
		if states++; states > maxStates {
			return nil, false
		}
		visited[st.block] = append(visited[st.block], st)
		known, goesOn := e.run(st)
		if !goesOn {
			continue
		}
		for i, succ := range st.block.Succs {
			if branch, isIf := blocks.Last(st.block).(*ssa.If); isIf {
				if t := e.eval(known, branch.Cond, 0); t != paths.Unknown && t != paths.TruthOf(i == 0) {
					continue
				}
			}
			if !e.Loop.Blocks[succ] {
				exit, leaves := e.Loop.exit(st.block, i)
				if edge := [2]*ssa.BasicBlock{st.block, succ}; leaves && !found[edge] {
					found[edge] = true
					remaining = append(remaining, exit)
				}
				continue
			}
			next := state{block: succ, pred: st.block, facts: known}
			if branch, isIf := blocks.Last(st.block).(*ssa.If); isIf {
				next.facts = e.learn(known, branch.Cond, paths.TruthOf(i == 0))
			}
			queue = append(queue, next)
		}
	}
	return remaining, true
}

func (st state) same(other state) bool {
	return st.behind == other.behind && (st.pred == other.pred || !hasPhi(st.block)) && maps.Equal(st.facts, other.facts)
}

// rest returns the instructions of the block that run.
func (st state) rest() []ssa.Instruction {
	if st.behind == nil {
		return st.block.Instrs
	}
	return st.block.Instrs[slices.Index(st.block.Instrs, st.behind)+1:]
}

func hasPhi(block *ssa.BasicBlock) bool {
	_, ok := block.Instrs[0].(*ssa.Phi)
	return ok
}

// run takes note of what a block computes; it returns what is known after it,
// and false if the path ends inside.
func (e *Explorer) run(st state) (facts, bool) {
	known := make(facts, len(st.facts)+2)
	maps.Copy(known, st.facts)
	set := func(v ssa.Value, t paths.Truth) {
		if t == paths.Unknown {
			delete(known, v)
		} else {
			known[v] = t
		}
	}
	// Phis take their values all at once.
	for _, instr := range st.block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		t := paths.Unknown
		if edge := slices.Index(st.block.Preds, st.pred); edge >= 0 {
			t = e.eval(st.facts, phi.Edges[edge], 0)
		}
		set(phi, t)
	}
	if st.block == e.Loop.Head {
		e.forget(known)
	}
	for _, instr := range st.rest() {
		if e.Stop != nil && e.Stop(instr) {
			return nil, false
		}
		switch instr := instr.(type) {
		case *ssa.Phi:
		case *ssa.Store:
			if cell, ok := instr.Addr.(*ssa.Alloc); ok && e.isCell(cell) {
				set(cell, e.eval(known, instr.Val, 0))
			}
		case *ssa.Alloc:
			if e.isCell(instr) {
				set(instr, paths.False)
			}
		case *ssa.UnOp:
			t := paths.Unknown
			if cell, ok := instr.X.(*ssa.Alloc); ok && instr.Op == token.MUL {
				t = known[cell]
			}
			set(instr, t)
		case ssa.Value:
			set(instr, paths.Unknown) // computed anew
		}
	}
	return known, true
}

// forget drops, at the loop's head, what is computed anew in each round.
func (e *Explorer) forget(known facts) {
	for v := range known {
		instr, ok := v.(ssa.Instruction)
		if !ok || !e.Loop.Blocks[instr.Block()] {
			continue
		}
		switch v.(type) {
		case *ssa.Phi, *ssa.Alloc:
		default:
			delete(known, v)
		}
	}
}

// learn adds what a branch has established about the values that it compares.
func (e *Explorer) learn(known facts, cond ssa.Value, t paths.Truth) facts {
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			break
		}
		cond, t = not.X, t.Not()
	}
	if compare, ok := cond.(*ssa.BinOp); ok && (compare.Op == token.EQL || compare.Op == token.NEQ) {
		if c, isConst := compare.Y.(*ssa.Const); isConst && c.IsNil() {
			if compare.Op == token.EQL {
				t = t.Not()
			}
			cond = compare.X
		}
	}
	if !askedAgain(cond) || e.eval(known, cond, 0) != paths.Unknown {
		return known
	}
	more := make(facts, len(known)+1)
	maps.Copy(more, known)
	more[cond] = t
	return more
}

// askedAgain reports whether more than one branch can depend on a value, so
// that it is worth remembering.
func askedAgain(v ssa.Value) bool {
	refs := v.Referrers()
	if _, isConst := v.(*ssa.Const); isConst || refs == nil {
		return false
	}
	uses := 0
	for _, ref := range *refs {
		switch ref.(type) {
		case *ssa.If, *ssa.BinOp, *ssa.UnOp, *ssa.Phi, *ssa.Store, *ssa.ChangeInterface:
			uses++
		}
	}
	return uses > 1
}

// maxEval bounds how deep a condition is looked into.
const maxEval = 12

// eval returns what is known of a value.
func (e *Explorer) eval(known facts, v ssa.Value, depth int) paths.Truth {
	if t, ok := known[v]; ok {
		return t
	}
	if depth > maxEval {
		return paths.Unknown
	}
	if t := e.World(v); t != paths.Unknown {
		return t
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return paths.False // nil
		}
		if v.Value.Kind() == constant.Bool {
			return paths.TruthOf(constant.BoolVal(v.Value))
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return e.eval(known, v.X, depth+1).Not()
		}
	case *ssa.BinOp:
		return e.compare(known, v, depth)
	case *ssa.ChangeInterface, *ssa.ChangeType:
		return e.eval(known, kubeapi.Converted(v), depth+1)
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.MakeClosure, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.FieldAddr:
		return paths.True
	case *ssa.Call:
		if wrapped := wrappedError(v); wrapped != nil {
			return e.eval(known, wrapped, depth+1)
		}
		if kubeapi.MakesError(kubeapi.Callee(v.Common())) {
			return paths.True
		}
	}
	return paths.Unknown
}

func (e *Explorer) compare(known facts, v *ssa.BinOp, depth int) paths.Truth {
	if v.Op != token.EQL && v.Op != token.NEQ {
		return paths.Unknown
	}
	x, y := v.X, v.Y
	if _, isConst := x.(*ssa.Const); isConst {
		x, y = y, x
	}
	c, ok := y.(*ssa.Const)
	if !ok || !c.IsNil() && (c.Value == nil || c.Value.Kind() != constant.Bool) {
		return paths.Unknown
	}
	left, right := e.eval(known, x, depth+1), e.eval(known, y, depth+1)
	if left == paths.Unknown || right == paths.Unknown {
		return paths.Unknown
	}
	return paths.TruthOf((left == right) == (v.Op == token.EQL))
}

// isCell reports whether what is stored into a variable of the function can be
// followed: it is a boolean or a reference, and nobody else stores into it.
func (e *Explorer) isCell(cell *ssa.Alloc) bool {
	if known, ok := e.cells[cell]; ok {
		return known
	}
	if e.cells == nil {
		e.cells = make(map[*ssa.Alloc]bool)
	}
	e.cells[cell] = followed(cell)
	return e.cells[cell]
}

func followed(cell *ssa.Alloc) bool {
	switch t := cell.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Basic:
		if t.Kind() != types.Bool {
			return false
		}
	case *types.Interface, *types.Pointer:
	default:
		return false
	}
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != cell {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for i, binding := range ref.Bindings {
				if fn, ok := ref.Fn.(*ssa.Function); ok && binding == cell && len(calls.StoredInto(fn.FreeVars[i])) > 0 {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

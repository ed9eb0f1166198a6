package overdue

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// clamped returns the store that sets RequeueAfter to what is left, or to zero where nothing is: zero
// asks for nothing. A function may have put the zero in its place.
//
//	after := time.Until(t); if after < 0 { after = 0 }; return ctrl.Result{RequeueAfter: after}, nil
func (c *Finder) clamped(u *objects.Unit, at *paths.Node) (*ssa.Store, left) {
	l, computed := c.leftAt(at, maxDepth)
	if !computed {
		call, ok := at.Instr.(*ssa.Call)
		if !ok {
			return nil, left{}
		}
		if l, ok = c.clampedIn(call); !ok || c.isAskedTwice(call) {
			return nil, left{} // what is done where nothing is left is done there
		}
	}
	for _, n := range u.Graph.Nodes {
		store := requeueAfterStored(n)
		if store == nil || n.Joins != nil || requeuesAnyway(store) {
			continue
		}
		v := calls.Behind(store.Val)
		if !c.isClamped(v, l) && (computed || v != l.at) || isCompared(v) {
			continue
		}
		if _, merged := v.(*ssa.Phi); computed && (c.comparedWithNothing(u, l) > 1 || !merged && c.isComparedWithNothing(u, l)) {
			continue // there is another question than that of the branch
		}
		if !isReadAgain(store) && endsWell(u, n) && !c.isChosen(u, n, l) && c.isHandedOn(u.Fn, 0) {
			return store, l
		}
	}
	return nil, left{}
}

// isAskedTwice reports whether the function that makes a call, one that calls it, or one that these call,
// asks the same function again and compares what that answers.
func (c *Finder) isAskedTwice(call *ssa.Call) bool {
	helper := call.Call.StaticCallee()
	return slices.ContainsFunc(c.Calls.Around([]*ssa.Function{call.Parent()}, maxDepth, 2), func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(other *ssa.Call) bool {
			return other != call && other.Call.StaticCallee() == helper && isCompared(other)
		})
	})
}

// isReadAgain reports whether the function looks at the RequeueAfter of its results again: it may be
// mended.
func isReadAgain(store *ssa.Store) bool {
	return blocks.Any(store.Parent(), func(addr *ssa.FieldAddr) bool {
		return kubeapi.RequeueField(addr) == "RequeueAfter" && blocks.AnyUse(addr, func(*ssa.UnOp) bool { return true })
	})
}

// isHandedOn reports whether all callers of a function in the package return what it answers, and do
// nothing else with it: a zero may tell them to go on.
func (c *Finder) isHandedOn(fn *ssa.Function, depth int) bool {
	return depth < maxDepth && !slices.ContainsFunc(c.Calls.Callers(fn), func(site ssa.CallInstruction) bool {
		call, ok := site.(*ssa.Call)
		return !ok || !isOnlyReturned(call) || !c.isHandedOn(call.Parent(), depth+1)
	})
}

func isOnlyReturned(call *ssa.Call) bool {
	result := ssa.Value(call)
	if _, several := call.Type().(*types.Tuple); several {
		if result = calls.ResultOf(call, 0); result == nil {
			return true
		}
	}
	return isReturned(result, make(map[ssa.Value]bool))
}

// isReturned reports whether nothing is done with a value but to return it, through the variable of
// a result perhaps: functions that defer something have such, and store what they return there again.
func isReturned(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	return !blocks.AnyUse(v, func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.Return:
			return false
		case *ssa.Store:
			cell, ok := use.Addr.(*ssa.Alloc)
			return !ok || blocks.AnyUse(cell, func(use ssa.Instruction) bool {
				switch use := use.(type) {
				case *ssa.UnOp:
					return !isReturned(use, seen)
				case *ssa.MakeClosure:
					return !onlySets(use, cell)
				}
				return !blocks.StoresTo(use, cell)
			})
		}
		return true
	})
}

// onlySets reports whether a literal does nothing with a variable but to set it, as one that is deferred may.
func onlySets(literal *ssa.MakeClosure, cell ssa.Value) bool {
	for i, captured := range literal.Bindings {
		inside := literal.Fn.(*ssa.Function).FreeVars[i]
		if captured == cell && blocks.AnyUse(inside, func(use ssa.Instruction) bool { return !blocks.StoresTo(use, inside) }) {
			return false
		}
	}
	return true
}

// isChosen reports whether the code sets the time itself before a node.
func (c *Finder) isChosen(u *objects.Unit, before *paths.Node, l left) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool { return c.sets(u, n, l) && u.Graph.Reaches(n, before) })
}

// isClamped reports whether a value is what is left, or zero where that is negative.
func (c *Finder) isClamped(v ssa.Value, l left) bool {
	switch v := v.(type) {
	case *ssa.Phi:
		zero := slices.IndexFunc(v.Edges, literals.IsZero)
		if zero < 0 || len(v.Edges) != 2 || !c.isLeftOf(v.Edges[1-zero], l) {
			return false
		}
		from := v.Block().Preds[zero]
		return c.isNegative(from, v.Block(), l) || c.isBareSide(from, l)
	case *ssa.Call:
		if calls.IsBuiltin(v, "max") {
			args := v.Call.Args
			return len(args) == 2 && (literals.IsZero(args[0]) && c.isLeftOf(args[1], l) || literals.IsZero(args[1]) && c.isLeftOf(args[0], l))
		}
	}
	return false
}

// isNegative reports whether a block asks whether what is left is negative, and another one is where
// it is.
func (c *Finder) isNegative(from, to *ssa.BasicBlock, l left) bool {
	branch, ok := blocks.Last(from).(*ssa.If)
	return ok && from.Succs[0] != from.Succs[1] && c.isNegativeIf(branch.Cond, from.Succs[0] == to, l)
}

// isBareSide reports whether a block is where what is left is negative, and does nothing about it.
func (c *Finder) isBareSide(block *ssa.BasicBlock, l left) bool {
	return len(block.Instrs) == 1 && len(block.Preds) == 1 && c.isNegative(block.Preds[0], block, l)
}

func (c *Finder) isNegativeIf(cond ssa.Value, held bool, l left) bool {
	b, ok := cond.(*ssa.BinOp)
	if !ok || !literals.IsZero(b.Y) || !c.isLeftOf(b.X, l) {
		return false
	}
	answers := make(map[ssa.Value]paths.Truth)
	c.compared(answers, b, l)
	return answers[b] == paths.TruthOf(!held)
}

// clampedIn returns what a function computes its only result of that is zero where nothing is left.
func (c *Finder) clampedIn(call *ssa.Call) (left, bool) {
	if !kubeapi.IsDuration(call.Type()) {
		return left{}, false
	}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 {
		return left{}, false
	}
	fn := targets.Funcs[0]
	for _, n := range c.Unit(fn).Graph.Nodes {
		l, ok := c.leftAt(n, maxDepth)
		if !ok {
			continue
		}
		zero, rest := false, false
		for ret := range blocks.Returns(fn) {
			v := calls.Behind(ret.Results[0])
			switch {
			case c.isClamped(v, l):
				zero, rest = true, true
			case literals.IsZero(v):
				zero = zero || c.isBareSide(ret.Block(), l)
			default:
				rest = rest || c.isLeftOf(v, l)
			}
		}
		if zero && rest {
			l.in = l.at
			l.at = call
			return l, true
		}
	}
	return left{}, false
}

// isCompared reports whether it is asked how long a duration is.
func isCompared(v ssa.Value) bool {
	return blocks.AnyUse(v, func(b *ssa.BinOp) bool { return kubeapi.IsBool(b.Type()) })
}

// endsWell reports whether the function may end without an error after a node.
func endsWell(u *objects.Unit, from *paths.Node) bool {
	_, found := u.Graph.Search(from, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case !u.Graph.IsExit(n):
			return stage, paths.Continue
		case u.Graph.Outcome(n, known) == paths.True:
			return stage, paths.Prune
		}
		return stage, paths.Found
	})
	return found
}

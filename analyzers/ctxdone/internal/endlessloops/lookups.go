package endlessloops

import (
	"go/token"
	"iter"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// lookups tells whether a loop ends only when something that it looks up in
// each round (an object, a list, whether a call succeeds) is as it wants.
type lookups struct {
	check *loopCheck
	loop  *loops.Loop
	seen  map[ssa.Value]bool
}

// verdict tells what a value depends on.
type verdict uint8

const (
	neutral verdict = iota // constants, what does not change in the loop
	lookup                 // what the loop looks up
	other                  // anything else: flags, counters, clocks, channels
)

// all reports whether all ways out depend on nothing but what is looked up.
func (w *lookups) all(exits []loops.Exit) bool {
	for _, exit := range exits {
		w.seen = make(map[ssa.Value]bool)
		if exit.Cond == nil || w.cond(exit.Cond, exit.When, 0) != lookup || w.around(exit.From) == other {
			return false
		}
	}
	return true
}

// around judges the conditions under which a block of the loop runs. Whether a call failed is not
// among them.
func (w *lookups) around(block *ssa.BasicBlock) verdict {
	result := neutral
	for branch := range decidedIn(w.loop, block) {
		if !isErrorCheck(branch.Cond) {
			// Whether something was found does not matter here, only what is asked.
			result = max(result, w.value(branch.Cond, 0))
		}
	}
	return result
}

// decidedIn yields the branches of a loop that went one way on every path from its head to a block,
// the nearest first, and whether their condition held.
func decidedIn(loop *loops.Loop, block *ssa.BasicBlock) iter.Seq2[*ssa.If, bool] {
	return func(yield func(*ssa.If, bool) bool) {
		for at := block; at != loop.Head && at.Idom() != nil && loop.Blocks[at.Idom()]; at = at.Idom() {
			branch, ok := blocks.Last(at.Idom()).(*ssa.If)
			if ok && len(at.Preds) == 1 && !yield(branch, at.Idom().Succs[0] == at) {
				return
			}
		}
	}
}

// isErrorCheck reports whether a condition compares an error, or asks which
// answer of the API server it is.
func isErrorCheck(cond ssa.Value) bool {
	if call, ok := cond.(*ssa.Call); ok {
		return isServerError(kubeapi.Callee(call.Common()))
	}
	compare, ok := cond.(*ssa.BinOp)
	return ok && (kubeapi.IsError(compare.X.Type()) || kubeapi.IsError(compare.Y.Type()))
}

// cond judges a condition that has the value when.
func (w *lookups) cond(v ssa.Value, when bool, depth int) verdict {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return w.cond(v.X, !when, depth)
		}
	case *ssa.BinOp:
		if isErrorCheck(v) && comparesNil(v) && (v.Op == token.EQL || v.Op == token.NEQ) {
			return w.err(comparedError(v), (v.Op == token.EQL) == when, depth)
		}
		if comparesNil(v) && (v.Op == token.EQL) == when {
			return other // nothing was found, perhaps since the context has ended
		}
	case *ssa.Call:
		if isServerError(kubeapi.Callee(v.Common())) && !when {
			// Taken for all other errors, too.
			return w.err(v.Common().Args[0], false, depth)
		}
	}
	return w.value(v, depth)
}

// comparesNil reports whether a comparison is one with nil.
func comparesNil(compare *ssa.BinOp) bool { return calls.IsNil(compare.X) || calls.IsNil(compare.Y) }

// err judges a way out that is taken when an error is nil, or is not.
func (w *lookups) err(v ssa.Value, isNil bool, depth int) verdict {
	if depth > maxLookup {
		return other
	}
	if call, _ := calls.CallOf(v); call != nil {
		return w.outcome(call, isNil)
	}
	switch v := v.(type) {
	case *ssa.Const:
		return neutral
	case *ssa.Phi:
		if w.seen[v] {
			return neutral
		}
		w.seen[v] = true
		result := neutral
		for _, edge := range v.Edges {
			result = max(result, w.err(edge, isNil, depth+1))
		}
		return result
	case *ssa.UnOp:
		if cell, ok := v.X.(*ssa.Alloc); ok && v.Op == token.MUL {
			if w.seen[cell] {
				return neutral // variables that are set to each other
			}
			w.seen[cell] = true
			return w.stored(cell, func(stored ssa.Value) verdict { return w.err(stored, isNil, depth+1) })
		}
	}
	return other
}

// outcome judges a way out that is taken when a call succeeds, or fails.
func (w *lookups) outcome(call *ssa.Call, succeeds bool) verdict {
	if isCacheRead(call.Common()) {
		return lookup
	}
	if !succeeds || w.check.listens(call) {
		return other
	}
	return lookup
}

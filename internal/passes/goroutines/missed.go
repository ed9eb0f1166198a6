package goroutines

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// Missed is a local variable that a goroutine sets, and that the function which has started it
// reads without having waited for it.
type Missed struct {
	Variable string
	// Pos is where it is read, in the package under analysis; Where is the place if it is in
	// another one.
	Pos   token.Pos
	Where string
}

// missed looks for a variable of the function that makes a call which leads to a goroutine: one
// that a literal sets which the call hands over and the goroutine runs.
func missed(leak *Leak, at ssa.CallInstruction) *Missed {
	if leak.Synchronised() {
		return nil
	}
	for _, v := range append([]ssa.Value{at.Common().Value}, at.Common().Args...) {
		closure, ok := v.(*ssa.MakeClosure)
		if !ok || !leak.runsFunction(closure.Fn.(*ssa.Function)) {
			continue
		}
		if m := readMeanwhile(at, closure); m != nil {
			return m
		}
	}
	return nil
}

// readMeanwhile looks for a variable that a literal sets, and the function around it reads
// once the literal may run.
func readMeanwhile(at ssa.CallInstruction, closure *ssa.MakeClosure) *Missed {
	fn := closure.Fn.(*ssa.Function)
	for i, binding := range closure.Bindings {
		cell, ok := binding.(*ssa.Alloc)
		if !ok || cell.Parent() != at.Parent() || !sets(fn, fn.FreeVars[i]) {
			continue
		}
		for load := range blocks.UsesOf[*ssa.UnOp](cell) {
			if load.Parent() == at.Parent() && blocks.FollowsInRound(at, load, cell) && !storedBetween(at, load, cell) {
				return &Missed{Variable: cell.Comment, Pos: blocks.Position(load)}
			}
		}
	}
	return nil
}

// sets reports whether a literal stores into a variable that it captures, or into the map in it.
func sets(fn *ssa.Function, captured *ssa.FreeVar) bool {
	for use := range blocks.Uses(captured) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == captured {
				return true
			}
		case *ssa.UnOp:
			for range blocks.UsesOf[*ssa.MapUpdate](use) {
				return true
			}
		case *ssa.MakeClosure:
			for i, binding := range use.Bindings {
				if inner := use.Fn.(*ssa.Function); binding == captured && sets(inner, inner.FreeVars[i]) {
					return true
				}
			}
		}
	}
	return false
}

// storedBetween reports whether a function reads what it has stored itself, after it has
// started a goroutine.
func storedBetween(at ssa.Instruction, load *ssa.UnOp, cell *ssa.Alloc) bool {
	for store := range blocks.Stores(cell) {
		if store.Block() == load.Block() && blocks.Precedes(store, load) && !blocks.Precedes(store, at) {
			return true
		}
	}
	return false
}

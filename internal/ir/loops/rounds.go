package loops

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// Repeats reports whether a block is in a loop that may have a second round.
func Repeats(block *ssa.BasicBlock) bool {
	if !blocks.Repeats(block) {
		return false
	}
	for _, loop := range Of(block.Parent()) {
		if !loop.Blocks[block] {
			continue
		}
		if n, known := loop.Rounds(); !known || n > 1 {
			return true
		}
	}
	return false
}

// Precedes reports whether an instruction comes before another one on every way to
// that, also in a loop that has a first round for sure.
func Precedes(first, then ssa.Instruction) bool {
	if blocks.Precedes(first, then) {
		return true
	}
	from, to := first.Block(), then.Block()
	return slices.ContainsFunc(Of(from.Parent()), func(loop *Loop) bool {
		return loop.Blocks[from] && !loop.Blocks[to] && blocks.IsFilled(loop.Head) && loop.Head.Dominates(to) && loop.eachRound(from)
	})
}

// eachRound reports whether no round of the loop goes on or leaves it without having
// passed a block, but by a panic.
func (l *Loop) eachRound(block *ssa.BasicBlock) bool {
	for b := range l.Blocks {
		for _, succ := range b.Succs {
			if _, panics := blocks.Last(succ).(*ssa.Panic); panics {
				continue
			}
			if b != l.Head && (succ == l.Head || !l.Blocks[succ]) && !block.Dominates(b) {
				return false
			}
		}
	}
	return true
}

// Rounds returns how often the loop runs at most, if it counts up to a number
// that the code names, or goes through a list that stands in it.
func (l *Loop) Rounds() (n int64, known bool) {
	for _, exit := range l.Exits() {
		cond, ok := exit.Cond.(*ssa.BinOp)
		if !ok || exit.When || cond.Op != token.LSS && cond.Op != token.LEQ {
			continue
		}
		limit, ok := blocks.Length(cond.Y)
		if !ok {
			continue
		}
		if from, ok := l.countsFrom(cond.X); ok {
			if cond.Op == token.LEQ {
				limit++
			}
			if exit.From == l.Head && l.Head.Comment == "rangeindex.loop" {
				limit-- // it counts before it asks
			}
			return max(limit-from, 0), true
		}
	}
	return 0, false
}

// countsFrom returns what a variable is before the first round, if each round adds
// one to it; it may be asked before or after that.
func (l *Loop) countsFrom(v ssa.Value) (from int64, ok bool) {
	if sum, isSum := v.(*ssa.BinOp); isSum && isNext(sum) {
		v = sum.X
	}
	phi, isPhi := v.(*ssa.Phi)
	if !isPhi || phi.Block() != l.Head {
		return 0, false
	}
	counted := false
	for i, edge := range phi.Edges {
		if !l.Blocks[l.Head.Preds[i]] {
			if from, ok = blocks.Number(edge); !ok {
				return 0, false
			}
			continue
		}
		sum, isSum := edge.(*ssa.BinOp)
		if !isSum || !isNext(sum) || sum.X != phi {
			return 0, false
		}
		counted = true
	}
	return from, counted
}

func isNext(sum *ssa.BinOp) bool {
	one, ok := blocks.Number(sum.Y)
	return ok && sum.Op == token.ADD && one == 1
}

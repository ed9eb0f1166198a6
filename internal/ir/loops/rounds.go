package loops

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Rounds returns how often the loop runs at most, if it counts up to a number
// that the code names.
func (l *Loop) Rounds() (n int64, known bool) {
	for _, exit := range l.Exits() {
		cond, ok := exit.Cond.(*ssa.BinOp)
		if !ok || exit.When || cond.Op != token.LSS && cond.Op != token.LEQ {
			continue
		}
		limit, ok := number(cond.Y)
		if !ok {
			continue
		}
		if from, ok := l.countsFrom(cond.X); ok {
			if cond.Op == token.LEQ {
				limit++
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
			if from, ok = number(edge); !ok {
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
	one, ok := number(sum.Y)
	return ok && sum.Op == token.ADD && one == 1
}

func number(v ssa.Value) (int64, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(c.Value)
}

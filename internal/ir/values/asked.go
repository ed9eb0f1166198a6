package values

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Asked returns what a condition asks, behind negations, and whether that holds where the
// condition does.
func Asked(cond ssa.Value, holds bool) (question ssa.Value, answer bool) {
	for {
		not, ok := cond.(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			return cond, holds
		}
		cond, holds = not.X, !holds
	}
}

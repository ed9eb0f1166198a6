package calls

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// Deferred returns where the function around a literal defers it, or nil.
func Deferred(literal *ssa.Function) *ssa.Defer {
	if literal.Parent() == nil {
		return nil
	}
	for d := range blocks.InstrsOf[*ssa.Defer](literal.Parent()) {
		if closure, ok := d.Call.Value.(*ssa.MakeClosure); ok && closure.Fn == literal {
			return d
		}
	}
	return nil
}

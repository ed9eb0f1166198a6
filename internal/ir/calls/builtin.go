package calls

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// IsBuiltin reports whether a call is one of a builtin function.
func IsBuiltin(call ssa.CallInstruction, name string) bool {
	builtin, ok := call.Common().Value.(*ssa.Builtin)
	return ok && builtin.Name() == name
}

// LengthOf returns that of which a value is the length, or nil.
func LengthOf(v ssa.Value) ssa.Value {
	if call, ok := v.(*ssa.Call); ok && IsBuiltin(call, "len") {
		return call.Call.Args[0]
	}
	return nil
}

// Names reports whether a function names one of some functions in a call.
func Names(fn *ssa.Function, is func(callee *types.Func) bool) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		callee := kubeapi.Callee(call.Common())
		return callee != nil && is(callee)
	})
}

// AllResults returns the values that hold the results of a call.
func AllResults(call *ssa.Call) []ssa.Value {
	if _, tuple := call.Type().(*types.Tuple); !tuple {
		return []ssa.Value{call}
	}
	var found []ssa.Value
	for extract := range blocks.UsesOf[*ssa.Extract](call) {
		found = append(found, extract)
	}
	return found
}

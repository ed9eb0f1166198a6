package calls

import "golang.org/x/tools/go/ssa"

// IsBuiltin reports whether a call is one of a builtin function.
func IsBuiltin(call ssa.CallInstruction, name string) bool {
	builtin, ok := call.Common().Value.(*ssa.Builtin)
	return ok && builtin.Name() == name
}

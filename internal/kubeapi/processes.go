package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// CommandCall recognises a call that prepares a process which no context
// kills: exec.Command, and the method Command of an interface that has
// CommandContext as well, as k8s.io/utils/exec has.
func CommandCall(common *ssa.CallCommon) bool {
	callee := Callee(common)
	if callee == nil || callee.Name() != "Command" {
		return false
	}
	recv := callee.Signature().Recv()
	if recv == nil {
		return IsFunc(callee, "os/exec", "Command")
	}
	return HasMethod(recv.Type(), "CommandContext")
}

// IsProcessWait reports whether fn waits for a process to end.
func IsProcessWait(fn *types.Func) bool {
	return isMethod(fn, "Run", "Output", "CombinedOutput", "Wait") && isProcess(fn.Signature().Recv().Type())
}

// isProcess recognises exec.Cmd and the interfaces that stand for it.
func isProcess(t types.Type) bool {
	return IsNamed(t, "os/exec", "Cmd") || types.IsInterface(t) && HasMethod(t, "CombinedOutput") && HasMethod(t, "StdoutPipe")
}

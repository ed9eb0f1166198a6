package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// IsCommand reports whether a function of this signature runs a command of a
// command-line tool, or sets one up: it gets cobra's or urfave/cli's.
func IsCommand(sig *types.Signature) bool {
	return AnyIs(sig.Params(), func(t types.Type) bool {
		return IsNamed(t, "github.com/spf13/cobra", "Command") || IsNamed(t, "github.com/urfave/cli/v3", "Command") ||
			IsNamed(t, "github.com/urfave/cli", "Context") || IsNamed(t, "github.com/urfave/cli/v2", "Context")
	})
}

// IsCommandType reports whether a struct describes a command of a command-line tool:
// what it is called and what it runs.
func IsCommandType(t types.Type) bool {
	for _, path := range []string{"github.com/spf13/cobra", "github.com/urfave/cli", "github.com/urfave/cli/v2", "github.com/urfave/cli/v3"} {
		if IsNamed(t, path, "Command") {
			return true
		}
	}
	return false
}

// signalSetup are the functions by which a process asks for its signals.
var signalSetup = newNameTable(
	"os/signal.Notify", "os/signal.NotifyContext",
	"sigs.k8s.io/controller-runtime/pkg/manager/signals.SetupSignalHandler",
	"k8s.io/apiserver/pkg/server.SetupSignalHandler", "k8s.io/apiserver/pkg/server.SetupSignalContext",
	"knative.dev/pkg/signals.NewContext", "knative.dev/pkg/signals.SetupSignalHandler",
)

// AsksForSignals reports whether a function asks for the signals of the
// process: it is a main program in all but name, and runs once.
func AsksForSignals(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if ok && (signalSetup.match(Callee(call.Common())) || callsVariable(call.Common(), "sigs.k8s.io/controller-runtime", "SetupSignalHandler")) {
				return true
			}
		}
	}
	return false
}

// callsVariable reports whether a function kept in a variable of another
// package is called, as controller-runtime's short names are, or the one that stands for
// it behind a wrapper.
func callsVariable(common *ssa.CallCommon, path, name string) bool {
	return IsFunc(Callee(common), path, name) || IsVariable(common.Value, path, name)
}

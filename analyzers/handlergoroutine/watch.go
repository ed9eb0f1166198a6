package handlergoroutine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
)

// endsWithInner reports whether the goroutine of a watch hands on what other watches send, and
// the watch's Stop stops watches: their channels are closed then.
func endsWithInner(graph *calls.Graph, entry *entrypoints.Entry, leak *goroutines.Leak) bool {
	recv := entry.Fn.Signature.Recv()
	if entry.Kind != kubeapi.Watch || recv == nil || leak.Spawn == nil {
		return false
	}
	forwards := slices.ContainsFunc(leak.Spawn.Bodies, func(body *ssa.Function) bool {
		return blocks.Any(body, func(call *ssa.Call) bool { return kubeapi.IsResultChan(kubeapi.Callee(call.Common())) })
	})
	stop := graph.Pkg.Prog.LookupMethod(recv.Type(), graph.Pkg.Pkg, "Stop")
	return forwards && stop != nil && blocks.Any(stop, func(call ssa.CallInstruction) bool {
		inner, _ := kubeapi.Args(call.Common())
		return inner != nil && kubeapi.IsStop(kubeapi.Callee(call.Common())) && kubeapi.IsWatcher(inner.Type())
	})
}

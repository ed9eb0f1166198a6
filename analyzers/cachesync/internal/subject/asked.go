package subject

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// IsCommand reports whether a function belongs to a command of the program.
func IsCommand(fn *ssa.Function) bool {
	is := func(t types.Type) bool {
		return kubeapi.IsNamed(t, "github.com/spf13/cobra", "Command") ||
			slices.ContainsFunc([]string{"T", "TB", "B"}, func(name string) bool { return kubeapi.IsNamed(t, "testing", name) })
	}
	return kubeapi.AnyIs(fn.Signature.Params(), is) || kubeapi.AnyIs(fn.Signature.Results(), is)
}

// MakesFake reports whether a function makes a client that serves objects from
// memory.
func MakesFake(fn *ssa.Function) bool { return calls.Names(fn, kubeapi.IsFakeClientMaker) }

// AsksAt reports whether an instruction waits for caches, asks whether they
// are filled, or may do so where that cannot be seen.
func (c *Checker) AsksAt(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if _, deferred := instr.(*ssa.Defer); !ok || deferred {
		return false
	}
	if c.SurelyAsks(call) {
		return true
	}
	if _, isOp := kubeapi.InformerOpOf(call); isOp {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		_, builtin := call.Common().Value.(*ssa.Builtin)
		return !builtin && len(c.Graph.Callees(call).Funcs) == 0
	}
	_, args := kubeapi.Args(call.Common())
	return callee.Pkg() != c.Pass.Pkg && slices.ContainsFunc(args, func(arg ssa.Value) bool { return syncs.IsInformers(arg.Type()) })
}

// ReliesOnCaches reports whether a worker reads more than the object of its
// key: it lists, or reads from several listers. A key of the informer's own is
// in the cache already when it comes out of the queue.
func (c *Checker) ReliesOnCaches(use syncs.Use) bool {
	if use.Worker == nil {
		return false
	}
	readers := make(map[string]bool)
	for _, fn := range c.WorksOn(use.Worker) {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			callee := kubeapi.Callee(call.Common())
			recv, _ := kubeapi.Args(call.Common())
			if callee == nil || recv == nil {
				continue
			}
			read, ok := kubeapi.CacheReadOf(callee, recv)
			if !ok || read.Doubtful {
				continue
			}
			if read.Source != kubeapi.ListerObject {
				continue
			}
			if read.Slice {
				return true
			}
			readers[recv.Type().String()] = true
		}
	}
	return len(readers) > 1
}

// SurelyAsks reports whether a call waits for caches, or asks whether they are
// filled, itself or in a function of this package.
func (c *Checker) SurelyAsks(call ssa.CallInstruction) bool {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		return op.Verb == kubeapi.WaitForSync || op.Verb == kubeapi.HasSynced || op.Waits
	}
	return slices.ContainsFunc(c.Graph.Callees(call).Funcs, func(fn *ssa.Function) bool { return c.Func(fn).Synced })
}

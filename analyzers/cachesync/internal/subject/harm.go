package subject

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// HarmIgnored tells what it does that caches are used although the wait has
// failed. Where only the end of the process makes it fail, the rest is over soon.
// After a timeout the process goes on: who writes to the API server what the caches
// do not have loses something.
func (c *Checker) HarmIgnored(w *syncs.Wait, use syncs.Use) rule.Harm {
	switch {
	case w.Limit != syncs.Timed:
		return rule.Hygiene
	case c.writes(use):
		return rule.Loss
	}
	return rule.Load
}

// HarmEarly tells what it does that caches are used too early: a read finds
// nothing each time, and a worker that writes nothing is only late.
func (c *Checker) HarmEarly(use syncs.Use) rule.Harm {
	if use.Kind == syncs.Reads || c.writes(use) {
		return rule.Loss
	}
	return rule.Load
}

// writes reports whether who uses caches writes to the API server, or may do so
// out of sight: itself, or in what follows.
func (c *Checker) writes(use syncs.Use) bool {
	if use.Kind == syncs.Starts && use.Worker == nil {
		return true // a worker of another package
	}
	seen := make(map[*ssa.Function]bool)
	visit := func(fn *ssa.Function) bool {
		return slices.ContainsFunc(c.WorksOn(fn), func(fn *ssa.Function) bool {
			known := seen[fn]
			seen[fn] = true
			return !known && blocks.Any(fn, isWrite)
		})
	}
	return use.Worker != nil && visit(use.Worker) || use.Via != nil && visit(use.Via) || c.writesAfter(use.Instr, visit)
}

// writesAfter looks at what the function of a use does after it, and at who
// gets what was read.
func (c *Checker) writesAfter(at ssa.Instruction, visit func(*ssa.Function) bool) bool {
	return blocks.Any(at.Parent(), func(call *ssa.Call) bool {
		return blocks.Follows(at, call) && (isWrite(call) || slices.ContainsFunc(c.Graph.Callees(call).Funcs, visit))
	})
}

// isWrite reports whether a call writes to the API server.
func isWrite(call ssa.CallInstruction) bool {
	if _, deletes := kubeapi.DeletionOf(call.Common()); deletes {
		return true
	}
	op, ok := kubeapi.ClientOp(call.Common())
	return ok && !op.Verb.Reads()
}

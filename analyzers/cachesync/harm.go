package cachesync

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// harmIgnored tells what it does that caches are used although the wait has
// failed: who writes to the API server what they do not have loses something.
// Where only the end of the process makes the wait fail, the rest is over soon.
func (c *checker) harmIgnored(w *syncs.Wait, use syncs.Use, hang ssa.Instruction) rule.Harm {
	switch {
	case hang != nil:
		return rule.Stuck
	case c.writes(use, w):
		return rule.Loss
	case w.Limit == syncs.Timed:
		return rule.Load
	}
	return rule.Hygiene
}

// harmEarly tells what it does that caches are used too early: a read finds
// nothing each time, and a worker that writes nothing is only late.
func (c *checker) harmEarly(use syncs.Use) rule.Harm {
	if use.Kind == syncs.Reads || c.writes(use, nil) {
		return rule.Loss
	}
	return rule.Load
}

// writes reports whether who uses caches writes to the API server, or may do so
// out of sight: itself, or in what follows. After a wait that a context has
// ended, writes under that context fail before they are sent.
func (c *checker) writes(use syncs.Use, w *syncs.Wait) bool {
	under := w != nil && w.Limit == syncs.Stop && w.Until != nil && (kubeapi.IsContext(w.Until.Type()) || kubeapi.DoneOf(w.Until) != nil)
	if use.Kind == syncs.Starts && use.Worker == nil {
		return true // a worker of another package
	}
	seen := make(map[*ssa.Function]bool)
	visit := func(fn *ssa.Function) bool {
		for _, fn := range c.WorksOn(fn) {
			if !seen[fn] && c.writesIn(fn, under) {
				return true
			}
			seen[fn] = true
		}
		return false
	}
	if use.Worker != nil && visit(use.Worker) || use.Via != nil && visit(use.Via) {
		return true
	}
	return c.writesAfter(use.Instr, under, visit)
}

// writesAfter looks at what the function of a use does after it, and at who
// gets what was read.
func (c *checker) writesAfter(at ssa.Instruction, under bool, visit func(*ssa.Function) bool) bool {
	for _, block := range at.Parent().Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !calls.Follows(at, call) {
				continue
			}
			if isWrite(call, under) {
				return true
			}
			for _, fn := range c.Graph.Callees(call).Funcs {
				if visit(fn) {
					return true
				}
			}
		}
	}
	return false
}

func (c *checker) writesIn(fn *ssa.Function, under bool) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok && isWrite(call, under) {
				return true
			}
		}
	}
	return false
}

// isWrite reports whether a call writes to the API server, and does so under a
// context of its own if the one at hand has ended.
func isWrite(call ssa.CallInstruction, under bool) bool {
	op, ok := kubeapi.ClientOp(call.Common())
	if _, deletes := kubeapi.DeletionOf(call.Common()); !deletes && (!ok || op.Verb.Reads()) {
		return false
	}
	if !under {
		return true
	}
	for _, arg := range call.Common().Args {
		if !kubeapi.IsContext(arg.Type()) {
			continue
		}
		switch calls.Behind(arg).(type) {
		case *ssa.Parameter, *ssa.FreeVar:
			return false
		}
	}
	return true
}

package shutdowns

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// harmOf says what workers come to that nobody lets go. Where somebody waits for
// them, the end does not come; where the queue is made for each event or
// request, they add up; and otherwise they end with the process.
func (c *checker) harmOf(made []*queues.Made) rule.Harm {
	switch {
	case slices.ContainsFunc(made, c.waitedFor):
		return rule.Stuck
	case c.madeAgain(made[0]):
		return rule.Leak
	}
	return rule.Hygiene
}

// madeAgain reports whether a queue is made for each event, item or request.
func (c *checker) madeAgain(made *queues.Made) bool {
	for _, entry := range c.Entries.Entries {
		kind := entry.Kind
		if !kind.PerEvent() && !kind.PerItem() && kind != kubeapi.HTTPHandler && kind != kubeapi.Admission {
			continue
		}
		found := false
		c.Entries.Walk(entry, nil, func(at *entrypoints.Path) { found = found || at.Fn == made.Call.Parent() })
		if found {
			return true
		}
	}
	return false
}

// waitedFor reports whether somebody waits for the workers of a queue: a group
// of goroutines, or the manager for its runnable.
func (c *checker) waitedFor(made *queues.Made) bool {
	ops, _ := made.Ops()
	return slices.ContainsFunc(ops, func(op *queues.Op) bool {
		return op.Verb == kubeapi.QueueGet && op.Helper == nil && c.isAwaited(made, op.Instr.Parent(), make(map[*ssa.Function]bool))
	})
}

// isAwaited follows a worker to what starts it.
func (c *checker) isAwaited(made *queues.Made, fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	if seen[fn] || len(seen) > 50 {
		return false
	}
	seen[fn] = true
	if hasCall(fn, kubeapi.IsWaitGroupDone) || c.isRunnable(fn) {
		return true
	}
	return slices.ContainsFunc(c.EdgesTo(fn), func(edge entrypoints.Edge) bool {
		if !c.hands(edge.Site, made) {
			return false
		}
		if _, _, ok := kubeapi.GroupStart(edge.Site.Common()); ok {
			return true
		}
		from := edge.Site.Parent()
		if edge.How == entrypoints.Started {
			return hasCall(paths.Outermost(from), kubeapi.IsGroupWait)
		}
		return c.isAwaited(made, from, seen)
	})
}

func (c *checker) isRunnable(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.Entries.Of(fn), func(e *entrypoints.Entry) bool { return e.Kind == kubeapi.Runnable })
}

// hasCall reports whether a function, with the literals in it, calls such a one.
func hasCall(fn *ssa.Function, such func(*types.Func) bool) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool { return such(kubeapi.Callee(call.Common())) }) ||
		slices.ContainsFunc(fn.AnonFuncs, func(literal *ssa.Function) bool { return hasCall(literal, such) })
}

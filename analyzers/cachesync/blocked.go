package cachesync

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// called are the entry points whose callers must not be kept waiting.
var called = []kubeapi.EntryKind{
	kubeapi.Reconcile, kubeapi.Sync, kubeapi.Worker, kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc,
	kubeapi.Admission, kubeapi.HTTPHandler,
}

// inReconcile finds waits without a limit where an event or a request is
// handled.
func (c *checker) inReconcile(w *syncs.Wait) bool {
	if w.Limit == syncs.Timed || w.Limit == syncs.Stop && !w.Lasting || w.Request || w.Op.Cache {
		return false
	}
	path := c.Entries.PathTo(w.Call.Parent(), called...)
	if path == nil || path.Prev == nil && !path.Entry.Covers(w.Call) || c.Bounded(w, path) {
		return false
	}
	where := ""
	if w.Elsewhere != "" {
		where = " (" + filepath.Base(w.Elsewhere) + ")"
	}
	who, harm := "the worker is", rule.Harm(0)
	switch path.Entry.Kind {
	case kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc:
		// The handler's other events wait with it, and go on when the list succeeds, which the
		// controller's own start waits for as a rule.
		who, harm = "the handler's events are", rule.Hygiene
	case kubeapi.Admission, kubeapi.HTTPHandler:
		who = "the request is"
	}
	c.Harmful(w.Call, subject.InReconcile, harm, fmt.Sprintf("if a kind cannot be listed, %s stuck until %s ends: %s%s has no time limit; set one",
		who, untilEnd(w), subject.Short(c.Text(w.Call)), where), path.Related()...)
	return true
}

func untilEnd(w *syncs.Wait) string {
	if w.Limit == syncs.Never {
		return "the process"
	}
	return subject.Short(subject.Until(w))
}

// endless finds waits that nothing can end.
func (c *checker) endless(w *syncs.Wait) bool {
	if w.Limit != syncs.Never || !w.Answers() || c.Pass.Pkg.Name() == "main" || calls.Unused(w.Call) && !kubeapi.IsBool(w.Call.Type()) || c.mayWait(w.Call.Parent(), 0) {
		return false
	}
	fn := paths.Outermost(w.Call.Parent())
	c.Finding(w.Call, subject.Endless, fmt.Sprintf("if a kind cannot be listed, %s never returns: nothing ends %s; wait until the informers' context ends",
		subject.Short(fn.Name()), subject.Short(c.Text(w.Call))))
	return true
}

// mayWait reports whether a function may wait without an end, or all that call it may
// where no other package can: a command, what starts the informers, what keeps nobody
// waiting. Where a context or channel is at hand, ctxdone reports what does not end
// with that.
func (c *checker) mayWait(fn *ssa.Function, depth int) bool {
	outer := paths.Outermost(fn)
	if c.CanStop(fn) || subject.IsCommand(outer) || subject.MakesFake(outer) || startsInformers(outer) || c.Graph.InGoroutine(fn) {
		return true
	}
	callers := c.Graph.Callers(fn)
	if depth > maxCallers || len(callers) == 0 || fn.Object() != nil && fn.Object().Exported() || len(c.Entries.Of(fn)) > 0 {
		return false
	}
	return !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool { return !c.mayWait(call.Parent(), depth+1) })
}

// maxCallers bounds the calls that lead to a wait.
const maxCallers = 4

// startsInformers reports whether a function starts informers: that it does so
// forever is another matter, and then the wait is not what needs an end.
func startsInformers(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		op, ok := kubeapi.InformerOpOf(call)
		return ok && (op.Verb == kubeapi.StartFactory || op.Verb == kubeapi.RunInformer)
	})
}

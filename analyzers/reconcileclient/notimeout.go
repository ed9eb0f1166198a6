package reconcileclient

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/report/rule"
)

// requests finds HTTP requests that a reconciler, worker or handler of events
// waits for as long as the other side likes. Those of HTTP and admission
// handlers are the business of ctxdone.
func (c *checker) requests() {
	var found []rule.Finding // of one entry
	c.clients.Walk(func(at *entrypoints.Path) {
		if at.Prev == nil {
			c.report.ReportOnce(found)
			found = nil
		}
		if !at.Entry.Kind.PerItem() && !at.Entry.Kind.PerEvent() {
			return
		}
		for call := range blocks.InstrsOf[*ssa.Call](at.Fn) {
			if at.Prev == nil && !at.Entry.Covers(call) {
				continue
			}
			if request, ok := c.clients.Endless(call); ok && c.unlimited(request, at) && c.clients.Runs(call, request.If, func(up int) ssa.CallInstruction { return calledBy(at, up) }) {
				found = append(found, c.waits(call, request, at))
			}
		}
	})
	c.report.ReportOnce(found)
}

// calledBy returns the call by which a function on the path is run, so many calls up; nil if there is
// none.
func calledBy(at *entrypoints.Path, up int) ssa.CallInstruction {
	for ; up > 0 && at.Prev != nil; up-- {
		at = at.Prev
	}
	if at.Prev == nil || at.Edge.How != entrypoints.Called {
		return nil
	}
	return at.Edge.Site
}

// waits words a request that may never end.
func (c *checker) waits(call *ssa.Call, request repeats.Endless, at *entrypoints.Path) rule.Finding {
	where := ""
	if request.Place != "" {
		where = fmt.Sprintf(" (%s)", request.Place)
	}
	held := at.Entry.Name() + " waits forever"
	if at.Entry.Kind.PerEvent() {
		held = "all later events wait forever"
	}
	pos, end := syntax.Span(c.pass.Files, call)
	return rule.Finding{
		Cause: cmp.Or(request.Client, request.Place, syntax.Place(c.pass.Fset, pos)),
		Pos:   pos, End: end, Category: noTimeout,
		Message: fmt.Sprintf("%s if the server does not respond: %s has no timeout%s; set http.Client.Timeout", held, request.What, where),
		Related: at.Related(),
	}
}

// unlimited reports whether a request is made in sight and its context, if it
// has one, is that of the reconciler or worker, which ends with the process. A
// context that nothing cancels although another is at hand is the business of
// detachedctx.
func (c *checker) unlimited(request repeats.Endless, at *entrypoints.Path) bool {
	switch {
	case request.Request != nil:
		return c.made(request.Request, at, 0)
	case request.Ctx != nil:
		return c.noDeadline(request.Ctx, at, 0)
	}
	return true
}

// maxDepth bounds how far calls are followed.
const maxDepth = 6

// made looks at how a request is made, here or by the caller that hands it over.
func (c *checker) made(request ssa.Value, at *entrypoints.Path, depth int) bool {
	if param, ok := request.(*ssa.Parameter); ok {
		index := slices.Index(at.Fn.Params, param)
		if index < 0 || at.Prev == nil || at.Edge.How != entrypoints.Called || depth > maxDepth {
			return false
		}
		ops := kubeapi.Operands(at.Edge.Site.Common())
		return index < len(ops) && c.made(ops[index], at.Prev, depth+1)
	}
	made := repeats.MadeRequest(request)
	if made == nil {
		return false
	}
	if kubeapi.IsFunc(kubeapi.Callee(made.Common()), "net/http", "NewRequest") {
		_, sent := kubeapi.RequestWithoutContext(made)
		return sent || depth > 0
	}
	ctx := kubeapi.RequestContext(made)
	return ctx != nil && c.noDeadline(ctx, at, 0)
}

// noDeadline follows a context to the entry point.
func (c *checker) noDeadline(ctx ssa.Value, at *entrypoints.Path, depth int) bool {
	origins := c.contexts.Origins(ctx)
	if len(origins) == 0 || depth > 20 {
		return false
	}
	for _, o := range origins {
		if o.Derived(contexts.Timeout) {
			return false
		}
		param, ok := o.Root.(*ssa.Parameter)
		if o.Kind != contexts.Param || !ok {
			return false
		}
		up := at
		for up != nil && up.Fn != param.Parent() {
			up = up.Prev
		}
		if up == nil {
			return false
		}
		if up.Prev == nil {
			continue // the reconciler's own
		}
		index := slices.Index(up.Fn.Params, param)
		ops := kubeapi.Operands(up.Edge.Site.Common())
		if up.Edge.How != entrypoints.Called || index < 0 || index >= len(ops) || !c.noDeadline(ops[index], up.Prev, depth+1) {
			return false
		}
	}
	return true
}

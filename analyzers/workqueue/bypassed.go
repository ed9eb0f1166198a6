package workqueue

import (
	"fmt"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// bypasses finds event handlers that call what the workers call with an item.
func (c *checker) bypasses(w *worker) {
	targets := make(map[*ssa.Function]ssa.CallInstruction)
	for _, h := range w.items.calls {
		if processes(paths.Outermost(h.site.Parent())) && paths.Outermost(h.site.Parent()) != paths.Outermost(w.get.Parent()) {
			continue // a part of the work
		}
		if targets[h.target] == nil && processes(h.target) && !c.handles(h.target) && c.writes(h.target, 0, make(map[*ssa.Function]bool)) {
			targets[h.target] = h.site
		}
	}
	if len(targets) == 0 {
		return
	}
	for _, entry := range c.entries.Leading(maps.Keys(targets)) {
		if entry.Kind != kubeapi.EventHandler {
			continue
		}
		follow := func(from *entrypoints.Path, edge *entrypoints.Edge) bool {
			return targets[from.Fn] == nil && edge.How != entrypoints.Once
		}
		c.entries.Walk(entry, follow, func(path *entrypoints.Path) {
			if site := targets[path.Fn]; site != nil && path.Edge != nil {
				c.reportBypass(path, w, site)
			}
		})
	}
}

// processes reports whether a function is one that does the work for an item,
// by its results: an error, and nothing that is computed.
func processes(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	if fn.Parent() != nil || results.Len() == 0 || !kubeapi.IsError(results.At(results.Len()-1).Type()) {
		return false
	}
	for n := range results.Len() - 1 {
		t := results.At(n).Type()
		if b, ok := t.Underlying().(*types.Basic); (!ok || b.Kind() != types.Bool) && kubeapi.ReconcileResult(t) == nil {
			return false
		}
	}
	return true
}

// handles reports whether a function deals with the queue itself: it is part of
// the worker.
func (c *checker) handles(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		for _, op := range c.queues.At(instr) {
			if op.Verb == kubeapi.QueueDone || op.Verb == kubeapi.QueueForget {
				return true
			}
		}
	}
	return false
}

// writes reports whether a function, or one that it calls, writes to the API
// server.
func (c *checker) writes(fn *ssa.Function, depth int, seen map[*ssa.Function]bool) bool {
	if seen[fn] || depth > 6 || len(seen) > 200 {
		return false
	}
	seen[fn] = true
	for _, edge := range c.entries.Edges(fn) {
		if c.writes(edge.Callee, depth+1, seen) {
			return true
		}
	}
	for instr := range blocks.Instrs(fn) {
		if call, ok := instr.(ssa.CallInstruction); ok {
			if op, ok := kubeapi.ClientOp(call.Common()); ok && !op.Verb.Reads() {
				return true
			}
		}
	}
	return false
}

func (c *checker) reportBypass(path *entrypoints.Path, w *worker, site ssa.CallInstruction) {
	call := path.Edge.Site
	pos, end := syntax.Span(c.pass.Files, call)
	queue := c.queueOf(w)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: bypassed,
		Message: fmt.Sprintf("%s runs past %s: beside a worker that has the same object (line %d), and with no retry; add the key to the queue",
			c.called(call), queue, c.line(site.Pos())),
		Related: path.Related(),
	})
}

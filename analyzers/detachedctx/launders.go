package detachedctx

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// launderers returns the functions that take a context and return one that nothing
// cancels, with where they make it: their calls are not reported one by one.
func (c *checker) launderers() map[*types.Func][]ssa.Value {
	found := make(map[*types.Func][]ssa.Value)
	for _, fn := range c.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || droppedContext(fn) == nil {
			continue
		}
		if roots := c.detachedResults(fn); len(roots) > 0 {
			found[obj] = roots
		}
	}
	return found
}

// launders reports them, with the calls under what they return.
func (c *checker) launders(calls map[*types.Func][]*detachedcalls.Site) {
	launderers := c.launderers()
	for _, fn := range c.graph.Funcs {
		obj, _ := fn.Object().(*types.Func)
		ctx := droppedContext(fn)
		for _, root := range launderers[obj] {
			if !root.Pos().IsValid() || detachedcalls.Excused(c.pass, root.Pos()) {
				continue
			}
			c.report.Report(c.laundering(fn, ctx, root, &cause{fn: fn, sites: calls[obj]}))
		}
	}
}

// laundering words what comes of it that fn returns a made-up context.
func (c *checker) laundering(fn *ssa.Function, ctx *ssa.Parameter, root ssa.Value, at *cause) rule.Finding {
	f := rule.Finding{
		Pos: root.Pos(), Category: "launders",
		Message: fmt.Sprintf("calls under the result of %s go on when the context ends that it gets; %s", nameOf(fn), c.returnInstead()),
		Related: c.related(at),
		Fix:     c.replace(root, contexts.Source{Kind: contexts.FromParam, Param: ctx, Blank: ctx.Name() == "_" || ctx.Name() == "", Expr: ctx.Name()}),
	}
	if len(at.sites) > 0 {
		site, worst := at.worst()
		f.Harm = harmOf(site, worst)
		about := c.subject(at, site, worst, true)
		f.Message = fmt.Sprintf("%s under the result of %s %s the context that it gets; %s",
			about.calls, nameOf(fn), about.pick("outlives", "outlive"), c.returnInstead())
	}
	return f
}

// returnInstead says what to return: what carries the values of a context and is never cancelled came with
// Go 1.21.
func (c *checker) returnInstead() string {
	if edit.IsBefore(c.pass, "go1.21") {
		return "return that"
	}
	return "return that, or context.WithoutCancel of it"
}

// droppedContext returns the parameter of fn that is a context and that it
// does not use at all, if fn returns a context.
func droppedContext(fn *ssa.Function) *ssa.Parameter {
	at := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return kubeapi.IsContext(p.Type()) })
	if at < 0 || len(*fn.Params[at].Referrers()) > 0 || !kubeapi.AnyIs(fn.Signature.Results(), kubeapi.IsContext) {
		return nil
	}
	return fn.Params[at]
}

// detachedResults returns where the contexts are made that fn returns, if
// nothing cancels any of them.
func (c *checker) detachedResults(fn *ssa.Function) []ssa.Value {
	var roots []ssa.Value
	for ret := range blocks.Returns(fn) {
		for _, result := range ret.Results {
			if !kubeapi.IsContext(result.Type()) {
				continue
			}
			for _, o := range c.contexts.Origins(result) {
				if o.Kind != contexts.Detached || o.Derived(contexts.Cancel) {
					return nil
				}
				if !slices.Contains(roots, o.Root) {
					roots = append(roots, o.Root)
				}
			}
		}
	}
	return roots
}

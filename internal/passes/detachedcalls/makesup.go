package detachedcalls

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// MakesUp is a fact about a function that calls functions which it gets: under a
// context that it makes up and that nothing cancels.
type MakesUp struct {
	Params []int // those parameters, the receiver not counted
}

// AFact marks MakesUp as a fact.
func (*MakesUp) AFact() {}

// exportMakesUp tells other packages which functions make contexts up for those that
// they call back.
func (c *computer) exportMakesUp() {
	for _, fn := range c.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != c.pass.Pkg {
			continue
		}
		var fact MakesUp
		for i, p := range calls.Params(fn) {
			if c.makesUp(p) {
				fact.Params = append(fact.Params, i)
			}
		}
		if len(fact.Params) > 0 {
			c.pass.ExportObjectFact(obj, &fact)
		}
	}
}

// makesUp reports whether a function does nothing with one of its parameters but call
// it, each time under a context that it makes up.
func (c *computer) makesUp(p *ssa.Parameter) bool {
	if _, ok := p.Type().Underlying().(*types.Signature); !ok || p.Referrers() == nil {
		return false
	}
	called := false
	for _, ref := range *p.Referrers() {
		if _, ok := ref.(*ssa.DebugRef); ok {
			continue
		}
		call, ok := ref.(*ssa.Call)
		if !ok || call.Call.Value != p || slices.Contains(call.Call.Args, ssa.Value(p)) {
			return false
		}
		called = true
		for _, arg := range call.Call.Args {
			if kubeapi.IsContext(arg.Type()) && !c.isMadeUp(arg) {
				return false
			}
		}
	}
	return called
}

// isMadeUp reports whether nothing can cancel a context, whoever calls.
func (c *computer) isMadeUp(ctx ssa.Value) bool {
	origins := c.contexts.Origins(ctx)
	for _, o := range origins {
		if o.Kind != contexts.Detached || o.Derived(contexts.Timeout) || slices.ContainsFunc(o.Steps, cancelsEarly) {
			return false
		}
	}
	return len(origins) > 0
}

// isMadeUpFor reports whether a call hands fn to a function of another package that calls
// it under a context which it makes up.
func (c *computer) isMadeUpFor(edge entrypoints.Edge, fn *ssa.Function) bool {
	callee := kubeapi.Callee(edge.Site.Common())
	var fact MakesUp
	if edge.How != entrypoints.CalledBack || callee == nil || callee.Pkg() == c.pass.Pkg || !c.pass.ImportObjectFact(callee, &fact) {
		return false
	}
	_, args := kubeapi.Args(edge.Site.Common())
	for i, arg := range args {
		if slices.Contains(c.graph.FuncsOf(calls.Behind(arg)).Funcs, fn) && !slices.Contains(fact.Params, i) {
			return false
		}
	}
	return true
}

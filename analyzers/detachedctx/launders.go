package detachedctx

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/detached"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// launders reports the functions that take a context and return one that
// nothing cancels, and returns them: their calls are not reported one by one.
func (c *checker) launders() map[*types.Func]bool {
	found := make(map[*types.Func]bool)
	for _, fn := range c.graph.Funcs {
		ctx := droppedContext(fn)
		if ctx == nil {
			continue
		}
		roots := c.detachedResults(fn)
		if len(roots) == 0 {
			continue
		}
		if obj, ok := fn.Object().(*types.Func); ok {
			found[obj] = true
		}
		for _, root := range roots {
			if !root.Pos().IsValid() || detached.Excused(c.pass, root.Pos()) {
				continue
			}
			c.report.Report(rule.Finding{
				Pos: root.Pos(), Category: "launders",
				Message: fmt.Sprintf("%s takes a context and returns %s: whatever gets its result goes on when the caller's context is cancelled or its deadline passes; return the parameter, or context.WithoutCancel of it if that is the purpose",
					nameOf(fn), detached.RootName(root)),
				Fix: c.replace(root, contexts.Source{Kind: contexts.FromParam, Param: ctx, Blank: ctx.Name() == "_" || ctx.Name() == "", Expr: ctx.Name()}),
			})
		}
	}
	return found
}

// droppedContext returns the parameter of fn that is a context and that it
// does not use at all, if fn returns a context.
func droppedContext(fn *ssa.Function) *ssa.Parameter {
	sig := fn.Signature
	if !slices.ContainsFunc(slices.Collect(sig.Results().Variables()), func(v *types.Var) bool { return kubeapi.IsContext(v.Type()) }) {
		return nil
	}
	for _, p := range fn.Params {
		if kubeapi.IsContext(p.Type()) {
			if p.Referrers() != nil && len(*p.Referrers()) == 0 {
				return p
			}
			return nil
		}
	}
	return nil
}

// detachedResults returns where the contexts are made that fn returns, if
// nothing cancels any of them.
func (c *checker) detachedResults(fn *ssa.Function) []ssa.Value {
	var roots []ssa.Value
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok || block == fn.Recover {
			continue
		}
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

func base(file string) string { return filepath.Base(file) }

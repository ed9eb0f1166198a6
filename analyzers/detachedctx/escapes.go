package detachedctx

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// escapes reports the goroutines that handlers of requests leave behind with
// the context of the request, which ends when the handler returns.
func (c *checker) escapes() {
	for _, fn := range c.graph.Funcs {
		for start := range blocks.InstrsOf[*ssa.Go](fn) {
			c.escape(fn, start)
		}
	}
}

func (c *checker) escape(fn *ssa.Function, start *ssa.Go) {
	call, ctx := c.needsRequest(fn, start)
	if call == nil || !c.detached.ReturnsSoon(start) || detachedcalls.Excused(c.pass, start.Pos()) {
		return
	}
	c.report.Report(rule.Finding{
		Pos: start.Pos(), Category: "escapes",
		Message: fmt.Sprintf("%s ends when %s returns: %s in the goroutine fails or stops half-way; wait for it, or use context.WithoutCancel",
			ctx, nameOf(fn), entrypoints.CalleeName(call)),
	})
}

// needsRequest returns a call in the goroutine that goes on only while the
// context of the request lives that fn handles, and how fn writes the context.
func (c *checker) needsRequest(fn *ssa.Function, start *ssa.Go) (ssa.CallInstruction, string) {
	for index, operand := range kubeapi.Operands(start.Common()) {
		if operand == nil || !kubeapi.IsContext(operand.Type()) || !c.detached.Heeds(start, index) {
			continue
		}
		if ctx := c.requestOf(fn, operand); ctx != "" {
			return start, ctx
		}
	}
	for _, target := range c.graph.Callees(start).Funcs {
		if target.Parent() != fn {
			continue // it has the context as a parameter, if at all
		}
		if call, ctx := c.needsWithin(fn, target, 0); call != nil {
			return call, ctx
		}
	}
	return nil, ""
}

// maxLiterals bounds how deep literals are nested.
const maxLiterals = 4

// needsWithin is [checker.needsRequest] for the body of a literal and what is
// nested in it.
func (c *checker) needsWithin(fn, literal *ssa.Function, depth int) (ssa.CallInstruction, string) {
	for call := range blocks.InstrsOf[*ssa.Call](literal) {
		for index, operand := range kubeapi.Operands(call.Common()) {
			if operand == nil || !kubeapi.IsContext(operand.Type()) || !c.detached.Heeds(call, index) {
				continue
			}
			if ctx := c.requestOf(fn, operand); ctx != "" {
				return call, ctx
			}
		}
	}
	if depth < maxLiterals {
		for _, nested := range literal.AnonFuncs {
			if call, ctx := c.needsWithin(fn, nested, depth+1); call != nil {
				return call, ctx
			}
		}
	}
	return nil, ""
}

// requestOf returns how fn writes the context of the request that it handles,
// if ctx derives from nothing else, or "".
func (c *checker) requestOf(fn *ssa.Function, ctx ssa.Value) string {
	expr := ""
	for _, o := range c.contexts.Origins(ctx) {
		switch root := o.Root.(type) {
		case *ssa.Parameter:
			if o.Kind != contexts.Param || root.Parent() != fn || !c.endsWithCall(fn) {
				return ""
			}
			expr = root.Name()
		case *ssa.Call:
			recv, _ := kubeapi.Args(root.Common())
			if o.Kind != contexts.Request || recv == nil || !kubeapi.IsServerRequest(recv.Type()) {
				return ""
			}
			p := values.Param(c.graph, recv)
			if p == nil || p.Parent() != fn || !handles(fn) {
				return ""
			}
			expr = p.Name() + ".Context()"
		default:
			return ""
		}
	}
	return expr
}

// handles reports whether fn gets the request from a server: it has the shape
// of an HTTP handler, or of a method with a stream.
func handles(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsNamed(p.Type(), "net/http", "ResponseWriter") || kubeapi.HasMethod(p.Type(), "SetTrailer")
	})
}

// endsWithCall reports whether the context that fn gets ends when fn returns: it
// is an admission handler or a method of a gRPC server.
func (c *checker) endsWithCall(fn *ssa.Function) bool {
	for _, entry := range c.entries.Of(fn) {
		if entry.Kind == kubeapi.Admission {
			return true
		}
	}
	obj, _ := fn.Object().(*types.Func)
	return kubeapi.IsRPCMethod(obj)
}

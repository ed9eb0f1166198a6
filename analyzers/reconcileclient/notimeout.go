package reconcileclient

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

// requests finds HTTP requests that a reconciler, worker or handler of events
// waits for as long as the other side likes. Those of HTTP and admission
// handlers are the business of ctxdone.
func (c *checker) requests() {
	c.clients.Walk(func(at *entrypoint.Path) {
		if !at.Entry.Kind.PerItem() && !at.Entry.Kind.PerEvent() {
			return
		}
		for _, block := range at.Fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || at.Prev == nil && !at.Entry.Covers(call) {
					continue
				}
				if request, ok := kubeapi.SendsRequest(call.Common()); ok {
					c.request(call, request, at)
				}
			}
		}
	})
}

func (c *checker) request(call *ssa.Call, request kubeapi.HTTPRequest, at *entrypoint.Path) {
	if request.Client != nil && !c.neverTimesOut(request.Client, 0) {
		return
	}
	if request.Request != nil && !c.unlimited(request.Request, at) {
		return
	}
	c.reportRequest(call, c.clients.Called(call), "", at)
}

// reportRequest words a request that may never end; where is empty if it is sent
// by the call itself.
func (c *checker) reportRequest(call *ssa.Call, what, where string, at *entrypoint.Path) {
	held := at.Entry.Name() + " waits forever"
	if at.Entry.Kind.PerEvent() {
		held = "all later events wait forever"
	}
	pos, end := source.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: noTimeout,
		Message: fmt.Sprintf("%s if the server does not respond: %s has no timeout%s; set http.Client.Timeout", held, what, where),
		Related: at.Related(),
	})
}

// neverTimesOut reports whether an HTTP client is seen to have no timeout: the
// default one, or one that the package makes without.
func (c *checker) neverTimesOut(client ssa.Value, depth int) bool {
	if depth > 5 {
		return false
	}
	switch client := client.(type) {
	case *ssa.Alloc:
		return noTimeoutIn(client)
	case *ssa.UnOp:
		if client.Op != token.MUL {
			return false
		}
		if isDefaultClient(client) {
			return true
		}
		switch addr := client.X.(type) {
		case *ssa.Alloc:
			return c.allNeverTimeOut(callgraph.StoredInto(addr), depth)
		case *ssa.FieldAddr:
			field := callgraph.FieldOf(addr.X.Type(), addr.Field)
			return field != nil && !field.Exported() && c.allNeverTimeOut(c.stored(field), depth)
		}
	case *ssa.FieldAddr:
		// A client by value in a struct: what is stored is a copy of a literal.
		field := callgraph.FieldOf(client.X.Type(), client.Field)
		return field != nil && !field.Exported() && c.allNeverTimeOut(c.stored(field), depth)
	case *ssa.Phi:
		return c.allNeverTimeOut(client.Edges, depth)
	}
	return false
}

func (c *checker) allNeverTimeOut(values []ssa.Value, depth int) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v ssa.Value) bool { return !c.neverTimesOut(v, depth+1) })
}

// stored is what the package puts into a field.
func (c *checker) stored(field *types.Var) []ssa.Value {
	var found []ssa.Value
	for _, fn := range c.graph.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				store, ok := instr.(*ssa.Store)
				if !ok {
					continue
				}
				if addr, ok := store.Addr.(*ssa.FieldAddr); ok && callgraph.FieldOf(addr.X.Type(), addr.Field) == field {
					found = append(found, store.Val)
				}
			}
		}
	}
	return found
}

// noTimeoutIn reports whether a client that is made here gets neither a timeout
// nor a transport, which may have some, and is not handed to who may set one.
func noTimeoutIn(made *ssa.Alloc) bool {
	if kubeapi.ClientKindOf(made.Type()) != kubeapi.HTTPClient || made.Referrers() == nil {
		return false
	}
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			field := callgraph.FieldOf(made.Type(), ref.Field)
			if field == nil || field.Name() == "Timeout" {
				return false
			}
			if field.Name() == "Transport" && !plainTransport(ref) {
				return false
			}
		case ssa.CallInstruction:
			recv, _ := kubeapi.Args(ref.Common())
			if recv != made {
				return false
			}
		case *ssa.MakeInterface, *ssa.MakeClosure:
			return false
		case *ssa.Store:
			if ref.Addr == made {
				if c, ok := ref.Val.(*ssa.Const); !ok || c.Value != nil {
					return false
				}
			}
		}
	}
	return true
}

// plainTransport reports whether what is stored into the field is a transport
// that waits for the header of an answer without limit.
func plainTransport(field *ssa.FieldAddr) bool {
	if field.Referrers() == nil {
		return false
	}
	for _, ref := range *field.Referrers() {
		store, ok := ref.(*ssa.Store)
		if !ok {
			continue
		}
		boxed, ok := store.Val.(*ssa.MakeInterface)
		if !ok {
			return false
		}
		made, ok := boxed.X.(*ssa.Alloc)
		if !ok || !kubeapi.IsTransport(made.Type()) || made.Referrers() == nil {
			return false
		}
		for _, use := range *made.Referrers() {
			if addr, ok := use.(*ssa.FieldAddr); ok {
				if f := callgraph.FieldOf(made.Type(), addr.Field); f == nil || f.Name() == "ResponseHeaderTimeout" || f.Name() == "Dial" || f.Name() == "DialContext" {
					return false
				}
			}
		}
	}
	return true
}

func isDefaultClient(client ssa.Value) bool {
	load, ok := client.(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Name() == "DefaultClient" && global.Pkg != nil && global.Pkg.Pkg.Path() == "net/http"
}

// unlimited reports whether a request is made in sight and its context, if it
// has one, is that of the reconciler or worker, which ends with the process. A
// context that nothing cancels although another is at hand is the business of
// detachedctx.
func (c *checker) unlimited(request ssa.Value, at *entrypoint.Path) bool {
	made := madeRequest(request)
	if made == nil {
		return false
	}
	callee := kubeapi.Callee(made.Common())
	if kubeapi.IsFunc(callee, "net/http", "NewRequest") {
		_, sent := kubeapi.RequestWithoutContext(made)
		return sent
	}
	ctx := kubeapi.RequestContext(made)
	return ctx != nil && c.noDeadline(ctx, at, 0)
}

// madeRequest is the call that makes a request, if it is in the same function.
func madeRequest(request ssa.Value) *ssa.Call {
	for range 5 {
		switch v := request.(type) {
		case *ssa.Extract:
			request = v.Tuple
		case *ssa.UnOp:
			local, ok := v.X.(*ssa.Alloc)
			if !ok {
				return nil
			}
			values := callgraph.StoredInto(local)
			if len(values) != 1 {
				return nil
			}
			request = values[0]
		case *ssa.Call:
			return v
		default:
			return nil
		}
	}
	return nil
}

// noDeadline follows a context to the entry point.
func (c *checker) noDeadline(ctx ssa.Value, at *entrypoint.Path, depth int) bool {
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
		if up.Edge.How != entrypoint.Called || index < 0 || index >= len(ops) || !c.noDeadline(ops[index], up.Prev, depth+1) {
			return false
		}
	}
	return true
}

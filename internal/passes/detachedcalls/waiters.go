package detachedcalls

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// Waiter tells for whom a live context stands.
type Waiter uint8

const (
	// Somebody is all that is known: the context of a reconcile has no deadline,
	// and ends when the program does.
	Somebody Waiter = iota
	// Visitor waits for the response of an HTTP server, as long as it likes.
	Visitor
	// Timed is a context that was given a timeout.
	Timed
	// Requester gives up after a while and takes the request for failed: the API
	// server that asks a webhook, a client of gRPC.
	Requester
)

// waiterOf tells for whom the live context of a site stands.
func (c *computer) waiterOf(site *Site) Waiter {
	waiter := c.waiterOn(site.Live)
	if waiter == Somebody && c.limitsBefore(site) {
		return Timed
	}
	return waiter
}

func (c *computer) waiterOn(live contexts.Source) Waiter {
	switch live.Kind {
	case contexts.FromRequest:
		return requesterOf(live.Param.Type())
	case contexts.FromParam:
		return c.waiterOnParam(live.Param)
	case contexts.FromField:
		worst := Somebody
		origins, _ := c.contexts.FieldOrigins(live.Fields[len(live.Fields)-1])
		for _, o := range origins {
			worst = max(worst, c.waiterAt(o))
		}
		return worst
	}
	return Somebody
}

// waiterOnParam is [computer.waiterOn] for a parameter: it asks who calls the
// function, and with which context.
func (c *computer) waiterOnParam(p *ssa.Parameter) Waiter {
	if known, ok := c.waiters[p]; ok {
		return known
	}
	c.waiters[p] = Somebody // for recursion
	fn := p.Parent()
	worst := Somebody
	for _, entry := range c.entries.Of(fn) {
		switch entry.Kind {
		case kubeapi.Admission:
			worst = Requester
		case kubeapi.HTTPHandler:
			worst = max(worst, Visitor)
		}
	}
	if obj, ok := fn.Object().(*types.Func); ok && kubeapi.IsRPCMethod(obj) {
		worst = Requester
	}
	index := slices.Index(fn.Params, p)
	for _, edge := range c.into[fn] {
		if handed := c.handed(edge, fn, index); handed != nil {
			for _, o := range c.contexts.Origins(handed) {
				worst = max(worst, c.waiterAt(o))
			}
		}
	}
	c.waiters[p] = worst
	return worst
}

// waiterAt tells who waits at the origin of a context.
func (c *computer) waiterAt(o contexts.Origin) Waiter {
	waiter := Somebody
	if o.Derived(contexts.Timeout) {
		waiter = Timed
	}
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		if o.Kind == contexts.Param {
			waiter = max(waiter, c.waiterOnParam(root))
		}
	case *ssa.Call:
		if recv, _ := kubeapi.Args(root.Common()); o.Kind == contexts.Request && recv != nil && kubeapi.IsServerRequest(recv.Type()) {
			waiter = max(waiter, requesterOf(recv.Type()))
		}
	}
	return waiter
}

// requesterOf tells who is behind a request of the type.
func requesterOf(t types.Type) Waiter {
	if kubeapi.IsNamed(t, "net/http", "Request") {
		return Visitor
	}
	return Requester
}

// limitsBefore reports whether the live context was given a timeout, under its own
// name, before the call that should have got it.
func (c *computer) limitsBefore(site *Site) bool {
	if site.Live.Kind != contexts.FromParam || site.Live.Blank {
		return false
	}
	at := site.Call
	if len(site.Chain) > 0 {
		at = site.Chain[0]
	}
	for call := range blocks.InstrsOf[*ssa.Call](at.Parent()) {
		if !blocks.Follows(call, at) || blocks.Follows(at, call) {
			continue
		}
		if _, _, _, ok := kubeapi.TimeoutOf(call.Common()); ok && c.isAssignedTo(call, site.Live.Expr) {
			return true
		}
	}
	return false
}

// isAssignedTo reports whether the first result of a call goes to a variable of
// the name.
func (c *computer) isAssignedTo(call *ssa.Call, name string) bool {
	expr := syntax.Call(c.pass.Files, call)
	if expr == nil {
		return false
	}
	for _, n := range syntax.Path(c.pass.Files, expr.Lparen) {
		if assign, ok := n.(*ast.AssignStmt); ok {
			id, ok := assign.Lhs[0].(*ast.Ident)
			return ok && id.Name == name && len(assign.Rhs) == 1 && ast.Unparen(assign.Rhs[0]) == ast.Expr(expr)
		}
	}
	return false
}

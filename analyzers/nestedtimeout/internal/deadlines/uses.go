package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Checks reports whether a node asks if the context id has ended, so that what
// follows can take it into account.
func (i *Deadlines) Checks(n *paths.Node, id ID) bool {
	for ch := range blocks.Received(n.Instr) {
		if kubeapi.IsStopChannel(ch.Type()) && i.sees(ch, id) {
			return true
		}
	}
	if instr, ok := n.Instr.(*ssa.Call); ok {
		if ctx := askedErr(instr); ctx != nil {
			return i.sees(ctx, id)
		}
		// A helper that answers yes or no.
		if basic, ok := instr.Type().(*types.Basic); ok && basic.Kind() == types.Bool && n.Joins == nil {
			ctx := firstContext(instr.Common())
			return ctx != nil && i.isOwn(kubeapi.Callee(instr.Common())) && i.sees(ctx, id)
		}
	}
	return false
}

// sees reports whether the end of ctx tells something about id.
func (i *Deadlines) sees(ctx ssa.Value, id ID) bool {
	return slices.ContainsFunc(i.Lineages(ctx), func(l Lineage) bool { return l.Root == nil || l.Has(id) })
}

// Renews reports whether a node makes the context id anew.
func (i *Deadlines) Renews(n *paths.Node, id ID) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		return n.Joins == nil && ID(instr) == id
	case *ssa.Store:
		field, ok := id.(fieldID)
		if !ok {
			return false
		}
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		return ok && calls.FieldOf(addr.X.Type(), addr.Field) == field.field
	}
	return false
}

// Use is a place that needs a context that has not ended.
type Use struct {
	Call ssa.CallInstruction
	// Ctx is the context that the call gets.
	Ctx ssa.Value
	// Derives tells that the call gives the context a timeout.
	Derives bool
	// What is the operation that needs it, if it is not the call itself but
	// something that the called function does: "Update", at Where.
	What, Where string
	// Shuts tells that it shuts a server of HTTP down, which closes the listeners in any case, and
	// needs the context only to wait for requests.
	Shuts bool
}

// UseOf returns what a node needs a context for that has not ended.
func (i *Deadlines) UseOf(n *paths.Node) (Use, bool) {
	call := runs(n)
	if call == nil {
		return Use{}, false
	}
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin {
		return Use{}, false
	}
	if parent, _, _, ok := kubeapi.TimeoutOf(common); ok && !i.isOwn(kubeapi.Callee(common)) {
		return Use{Call: call, Ctx: parent, Derives: true}, true
	}
	if parent, _, ok := kubeapi.OptionalTimeout(common); ok {
		return Use{Call: call, Ctx: parent, Derives: true}, true
	}
	if request, ok := sentRequest(common); ok {
		ctx := kubeapi.RequestContext(i.base(request))
		return Use{Call: call, Ctx: ctx}, ctx != nil
	}
	callee := kubeapi.Callee(common)
	if len(i.calls.Callees(call).Funcs) > 0 || i.isOwn(callee) {
		operands := kubeapi.Operands(common)
		for _, need := range i.needsOf(call) {
			if need.Param < len(operands) && kubeapi.IsContext(operands[need.Param].Type()) {
				return Use{Call: call, Ctx: operands[need.Param], What: need.What, Where: need.Where, Shuts: need.Shuts}, true
			}
		}
		return Use{}, false
	}
	ctx, ok := kubeapi.NeedsLiveContext(common)
	return Use{Call: call, Ctx: ctx, Shuts: callee != nil && kubeapi.FullName(callee) == "(*net/http.Server).Shutdown"}, ok
}

// sentRequest returns the request that an HTTP client sends.
func sentRequest(common *ssa.CallCommon) (ssa.Value, bool) {
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Name() != "Do" && callee.Name() != "RoundTrip" {
		return nil, false
	}
	_, args := kubeapi.Args(common)
	if len(args) != 1 || !kubeapi.IsNamed(args[0].Type(), "net/http", "Request") {
		return nil, false
	}
	return args[0], true
}

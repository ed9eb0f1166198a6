package deadlines

import (
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// timeouts finds the timeouts that are given to parameters.
func (i *Deadlines) timeouts(fn *ssa.Function, b *Behaviour) {
	var visit func(at *ssa.Function)
	visit = func(at *ssa.Function) {
		for call := range blocks.InstrsOf[*ssa.Call](at) {
			if t, ok := i.TimeoutAt(call); ok && t.Known {
				i.give(fn, b, t.Parent, Given{After: t.After, Where: i.Where(call)})
				continue
			}
			inner := i.Of(call)
			if inner == nil || !i.soleCaller(call) {
				continue
			}
			operands := kubeapi.Operands(call.Common())
			for _, given := range inner.Timeouts {
				if given.Param < len(operands) {
					i.give(fn, b, operands[given.Param], given)
				}
			}
		}
		for _, literal := range at.AnonFuncs {
			visit(literal)
		}
	}
	visit(fn)
}

// soleCaller reports whether nobody else calls what a call runs, so that the
// caller can answer for it.
func (i *Deadlines) soleCaller(call *ssa.Call) bool {
	targets := i.calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return false
	}
	fn := targets.Funcs[0]
	return fn.Object() != nil && !fn.Object().Exported() && len(i.calls.Callers(fn)) == 1
}

// give records a timeout if the context is a parameter of fn.
func (i *Deadlines) give(fn *ssa.Function, b *Behaviour, ctx ssa.Value, given Given) {
	lineages := i.Lineages(ctx)
	if len(lineages) != 1 || len(b.Timeouts) >= maxKept {
		return
	}
	p, ok := lineages[0].Root.(*ssa.Parameter)
	if !ok || p.Parent() != fn {
		return
	}
	given.Param = slices.Index(fn.Params, p)
	outer := lineages[0].Tightest()
	if given.Param < 0 || outer != nil && outer.After <= given.After {
		return
	}
	given.Only = ctx == ssa.Value(p) && blocks.SoleUse(p) != nil
	b.Timeouts = append(b.Timeouts, given)
}

// Timeout is a call that gives a timeout to a context.
type Timeout struct {
	Call   *ssa.Call
	Parent ssa.Value
	After  time.Duration
	Known  bool
	Limit  ssa.Value // the duration; nil if it is computed from a time
	// Derives tells that the call returns the context with the timeout.
	Derives bool
}

// TimeoutAt returns the timeout that a call gives to one of its arguments:
// context.WithTimeout and its like, helpers that call it, pollers, HTTP clients.
func (i *Deadlines) TimeoutAt(call *ssa.Call) (Timeout, bool) {
	common := call.Common()
	t := Timeout{Call: call}
	callee := kubeapi.Callee(common)
	if parent, limit, _, ok := kubeapi.PollTimeout(common); ok {
		t.Parent, t.Limit = parent, limit
		t.After, t.Known = i.contexts.Duration(limit)
		if t.Known && t.After == 0 && callee.Name() != "PollUntilContextTimeout" {
			return Timeout{}, false // none
		}
		return t, true
	}
	if parent, limit, ok := kubeapi.OptionalTimeout(common); ok {
		t.Parent, t.Limit, t.Derives = parent, limit, true
		t.After, t.Known = i.contexts.Duration(limit)
		return t, !t.Known || t.After > 0
	}
	if request, limit, ok := kubeapi.ClientTimeout(common); ok {
		t.Parent, t.Limit = kubeapi.RequestContext(i.base(request)), limit
		t.After, t.Known = i.contexts.Duration(limit)
		return t, t.Parent != nil && (!t.Known || t.After > 0)
	}
	if parent, limit, deadline, ok := kubeapi.TimeoutOf(common); ok && len(i.calls.Callees(call).Funcs) == 0 {
		t.Parent, t.Derives = parent, true
		if deadline {
			t.After, t.Known = i.contexts.Until(limit)
		} else {
			t.Limit = limit
			t.After, t.Known = i.contexts.Duration(limit)
		}
		return t, true
	}
	// A helper that derives the context.
	result := ContextResult(call)
	if result == nil {
		return Timeout{}, false
	}
	lineages := i.Lineages(result)
	if len(lineages) != 1 || len(lineages[0].Links) == 0 {
		return Timeout{}, false
	}
	link := lineages[0].Links[0]
	if link.Call != call || link.Kind != contexts.Timeout || lineages[0].Root == ID(call) {
		return Timeout{}, false
	}
	t.Parent, t.After, t.Known, t.Limit, t.Derives = firstContext(common), link.After, link.Known, link.Limit, true
	return t, t.Parent != nil && kubeapi.IsContext(t.Parent.Type())
}

// ContextResult returns the result of a call that is a context, or nil.
func ContextResult(call *ssa.Call) ssa.Value {
	if kubeapi.IsContext(call.Type()) {
		return call
	}
	for ref := range blocks.Uses(call) {
		if extract, ok := ref.(*ssa.Extract); ok && kubeapi.IsContext(extract.Type()) {
			return extract
		}
	}
	return nil
}

package queues

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

const maxDepth = 8

// limiter tells what kind of rate limiter v is.
func (i *Queues) limiter(v ssa.Value, depth int) kubeapi.Limiter {
	if depth > maxDepth {
		return kubeapi.UnknownLimiter
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		if kind := kubeapi.LimiterType(v.X.Type()); kind != kubeapi.UnknownLimiter {
			return kind
		}
		return i.limiter(v.X, depth+1)
	case *ssa.ChangeInterface:
		return i.limiter(v.X, depth+1)
	case *ssa.ChangeType:
		return i.limiter(v.X, depth+1)
	case *ssa.Phi:
		return i.limiters(v.Edges, depth)
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return kubeapi.UnknownLimiter
		}
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			return i.limiters(calls.StoredInto(addr), depth)
		case *ssa.FreeVar:
			if alloc, ok := i.graph.Binding(addr).(*ssa.Alloc); ok {
				return i.limiters(calls.StoredInto(alloc), depth)
			}
		}
	case *ssa.Parameter:
		args, _ := i.graph.Arguments(v)
		return i.limiters(calls.Values(args), depth)
	case *ssa.Call:
		return i.limiterOfCall(v, depth)
	}
	return kubeapi.UnknownLimiter
}

// limiters is what several limiters have in common, or unknown.
func (i *Queues) limiters(limiters []ssa.Value, depth int) kubeapi.Limiter {
	common, _ := values.Agree(limiters, func(v ssa.Value) kubeapi.Limiter { return i.limiter(v, depth+1) })
	return common
}

func (i *Queues) limiterOfCall(call *ssa.Call, depth int) kubeapi.Limiter {
	fn := kubeapi.Callee(call.Common())
	kind, inner, ok := kubeapi.LimiterMade(fn)
	if ok && !inner {
		return kind
	}
	if ok {
		// The longest delay counts: one that grows is enough.
		args := call.Call.Args
		if packed, ok := kubeapi.VariadicArgs(args[0]); ok {
			args = packed
		}
		for _, arg := range args {
			if kubeapi.IsLimiter(arg.Type()) {
				kind = stronger(kind, i.limiter(arg, depth+1))
			}
		}
		return kind
	}
	values, _ := i.graph.Results(call, 0)
	if uses := i.Of(fn); len(values) == 0 && uses != nil {
		return uses.Limiter
	}
	return i.limiters(values, depth+1)
}

// stronger joins limiters that are asked together.
func stronger(a, b kubeapi.Limiter) kubeapi.Limiter {
	switch {
	case a == kubeapi.PerItem || b == kubeapi.PerItem:
		return kubeapi.PerItem
	case a == kubeapi.UnknownLimiter:
		return b
	}
	return a
}

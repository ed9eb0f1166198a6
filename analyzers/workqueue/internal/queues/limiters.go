package queues

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

const maxDepth = 8

// limiter tells what kind of rate limiter v is.
func (i *Queues) limiter(v ssa.Value, depth int) kubeapi.Limiter {
	if v == nil || depth > maxDepth {
		return kubeapi.UnknownLimiter
	}
	if kind := kubeapi.LimiterType(v.Type()); kind != kubeapi.UnknownLimiter {
		return kind
	}
	same := values.Relation{Calls: i.graph, Steps: values.Local | values.Given}
	if from, _ := same.Sources(v); len(from) > 0 {
		return i.limiters(from, depth)
	}
	if call, ok := v.(*ssa.Call); ok {
		return i.limiterOfCall(call, depth)
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

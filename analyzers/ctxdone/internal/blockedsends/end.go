package blockedsends

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// leavesAtEnd reports whether a receiver goes away when the process ends, as far as one can
// see: it is told so by a stop channel, or by the context of a reconcile. Whether that is so of a context which
// somebody else hands over is not known: it may as well be that of a request.
func (s *sends) leavesAtEnd(g gone) bool {
	told, isContext := s.told(g)
	return told != nil && s.endsLast(told, isContext)
}

// leavesAtEndIfOnce reports whether a receiver goes away when somebody outside of the function that
// made the channel says so: if that runs once in the process, that is when the process ends.
func (s *sends) leavesAtEndIfOnce(g gone) bool {
	told, _ := s.told(g)
	return told != nil && s.endsLast(told, false)
}

// told returns the stop channel or the context that tells a receiver to go away, and whether it is a
// context; nil if nothing from elsewhere does.
func (s *sends) told(g gone) (told ssa.Value, isContext bool) {
	told = g.leave.Chan
	if g.leave.Elsewhere != "" {
		call, ok := g.Op.Instr.(ssa.CallInstruction)
		if !ok || g.leave.Elsewhere != channels.ToldToStop {
			return nil, false
		}
		operands := kubeapi.Operands(call.Common())
		at := slices.IndexFunc(operands, func(v ssa.Value) bool { return kubeapi.IsStopChannel(v.Type()) })
		if at < 0 {
			return nil, false
		}
		told = operands[at]
	} else if g.leave.Within {
		return nil, false
	}
	if ctx := kubeapi.DoneOf(told); ctx != nil || told == nil || !kubeapi.IsStopChannel(told.Type()) {
		return ctx, ctx != nil
	}
	return told, false
}

// endsLast reports whether a context or stop channel ends with the process: it is not that of
// a request, and nothing ends it before. A context has to be known to be one.
func (s *sends) endsLast(v ssa.Value, known bool) bool {
	return !slices.ContainsFunc(s.Contexts.Origins(v), func(o contexts.Origin) bool {
		if o.Kind == contexts.Request || o.Derived(contexts.Timeout) || o.Derived(contexts.Cancel) {
			return true
		}
		param, ok := o.Root.(*ssa.Parameter)
		// What is called for each item gets a context that ends when the process does.
		return known && !(ok && slices.ContainsFunc(s.Entries.Of(param.Parent()), func(entry *entrypoints.Entry) bool { return entry.Kind.PerItem() }))
	})
}

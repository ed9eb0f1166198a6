package drops

import (
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// neverEnds says what a context or stop channel is that surely never ends; what
// is empty if it may end. If it is bounded, it ends by a timeout only, which is
// limit if it is known.
//
// A context that is cancelled when the function returns does not end a call that
// the function waits for.
func (i *Drops) neverEnds(until ssa.Value, blocking bool) (what string, limit time.Duration, bounded bool) {
	for _, o := range i.contexts.Origins(until) {
		switch {
		case o.Kind == contexts.Detached:
			what = o.Written()
			for _, step := range o.Steps {
				switch {
				case step.Kind == contexts.Timeout:
					bounded, limit = true, step.After
				case step.Kind == contexts.Cancel && !(blocking && step.ByCancel() && onlyDeferred(step.Cancel)):
					return "", 0, false
				}
			}
		case o.Kind == contexts.Unknown && isNil(o.Root):
			what = "nil"
		case o.Kind == contexts.Unknown && neverClosed(o.Root):
			what = "a channel that nobody closes"
		default:
			return "", 0, false
		}
	}
	return what, limit, bounded
}

// isDerived reports whether a context is derived from another one.
func isDerived(origins []contexts.Origin) bool {
	return slices.ContainsFunc(origins, func(o contexts.Origin) bool { return len(o.Steps) > 0 })
}

// onlyDeferred reports whether a function is called when its caller returns,
// and nothing else is done with it.
func onlyDeferred(cancel ssa.Value) bool {
	return cancel != nil && !calls.Unused(cancel) && !blocks.AnyUse(cancel, func(ref ssa.Instruction) bool {
		if _, debug := ref.(*ssa.DebugRef); debug {
			return false
		}
		deferred, ok := ref.(*ssa.Defer)
		return !ok || deferred.Call.Value != cancel
	})
}

func isNil(v ssa.Value) bool { return calls.IsNil(v) && kubeapi.IsStopChannel(v.Type()) }

// neverClosed reports whether a channel is made here and only handed to what
// waits for it to be closed.
func neverClosed(v ssa.Value) bool {
	made, ok := v.(*ssa.MakeChan)
	if !ok {
		return false
	}
	for ch, use := range (values.Relation{Steps: values.Converted | values.Held}).Uses(made) {
		switch use := use.(type) {
		case *ssa.UnOp: // a receive
		case ssa.CallInstruction:
			if w, ok := kubeapi.WaitCall(use.Common()); !ok || w.Until != ch {
				return false
			}
		default:
			return false
		}
	}
	return true
}

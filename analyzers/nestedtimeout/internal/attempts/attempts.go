// Package attempts finds function literals that are run again until they succeed, and cancel a
// context that was made outside: from the second attempt on, all that needs it fails.
package attempts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Second is what the second attempt needs a context for that the first has cancelled.
type Second struct {
	Use deadlines.Use
	End deadlines.End
}

// finder looks at one graph.
type finder struct {
	info  *deadlines.Deadlines
	calls *calls.Graph
	g     *paths.Graph
}

// In returns what the attempts in a graph cancel for those that follow.
func In(info *deadlines.Deadlines, graph *calls.Graph, g *paths.Graph) []Second {
	f := &finder{info, graph, g}
	var found []Second
	for _, n := range g.Nodes {
		frame := n.Frame
		if frame.Parent == nil || frame.Called {
			continue
		}
		call, ok := frame.Call.(*ssa.Call)
		if !ok {
			continue
		}
		for _, end := range info.EndsAt(g, n) {
			if end.How != deadlines.Cancelled || !end.Sure {
				continue
			}
			again := f.againAfter(call, frame, end)
			if again == nil || f.stops(call, end) {
				continue
			}
			if use, ok := f.second(n, frame, end, again); ok {
				found = append(found, Second{use, end})
			}
		}
	}
	return found
}

// again tells from what a literal returns whether it may be run once more.
type again func(results []ssa.Value, known paths.Known) bool

// againAfter returns when a call runs the literal of a frame once more, or nil if it does not,
// or that cannot be told.
func (f *finder) againAfter(call *ssa.Call, frame *paths.Frame, end deadlines.End) again {
	results := frame.Fn.Signature.Results()
	if _, _, ok := kubeapi.ConflictRetry(call.Common()); ok {
		return mayFail
	}
	if kubeapi.IsPoll(kubeapi.Callee(call.Common())) {
		if results.Len() == 2 && kubeapi.IsBool(results.At(0).Type()) {
			return mayBeUndone
		}
		return nil
	}
	// A helper of the module: what makes it go on is not known, so that the literal must
	// cancel whatever happens.
	for index := range call.Call.Args {
		how, ok := f.calls.RunsArg(call.Common(), index)
		if !ok || !how.Again || paths.Literal(f.calls, call.Call.Args[index]) != frame.Fn || !f.cancelsAlways(frame, end) {
			continue
		}
		if results.Len() == 0 {
			return func([]ssa.Value, paths.Known) bool { return true }
		}
		if isError(results) {
			return mayFail
		}
	}
	return nil
}

func isError(results *types.Tuple) bool {
	return results.Len() == 1 && kubeapi.IsError(results.At(0).Type())
}

// mayFail reports whether a literal returns an error that a call has returned.
func mayFail(results []ssa.Value, known paths.Known) bool {
	if len(results) == 0 {
		return false
	}
	err := results[len(results)-1]
	if _, made := err.(*ssa.MakeInterface); made || calls.IsNil(err) || known.Of(err) == paths.False {
		return false
	}
	call, ok := err.(*ssa.Call)
	if !ok {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	return !kubeapi.IsFunc(callee, "errors", "New") && !kubeapi.IsFunc(callee, "fmt", "Errorf")
}

// mayBeUndone reports whether a condition may not be met, and without an error.
func mayBeUndone(results []ssa.Value, known paths.Known) bool {
	return known.Of(results[0]) != paths.True && known.Of(results[1]) != paths.True
}

// stops reports whether the end of the context also ends the attempts, as may be meant.
func (f *finder) stops(call *ssa.Call, end deadlines.End) bool {
	for _, arg := range kubeapi.Operands(call.Common()) {
		if (kubeapi.IsContext(arg.Type()) || kubeapi.IsStopChannel(arg.Type())) && f.info.Covers(arg, end.ID) {
			return true
		}
	}
	return false
}

// cancelsAlways reports whether no path through a literal does without a cancel.
func (f *finder) cancelsAlways(frame *paths.Frame, end deadlines.End) bool {
	return !f.search(frame, 0, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		for _, e := range f.info.EndsAt(f.g, n) {
			if e.ID == end.ID {
				return stage, paths.Prune
			}
		}
		if returns(n, frame) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
}

// Stages of a path through two attempts.
const (
	first = iota
	cancelled
	second
)

// second finds what the attempt after the one that cancels the context needs it for.
func (f *finder) second(cancel *paths.Node, frame *paths.Frame, end deadlines.End, again again) (use deadlines.Use, ok bool) {
	entry := frame.Fn.Blocks[0].Instrs[0]
	ok = f.search(frame, first, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if f.info.Renews(n, end.ID) || stage != first && f.info.Checks(n, end.ID) {
			return stage, paths.Prune
		}
		switch {
		case n == cancel && stage == first:
			return cancelled, paths.Continue
		case n.Frame == frame && n.Instr == entry && stage == cancelled:
			stage = second
		case returns(n, frame):
			if stage != cancelled || !again(n.Instr.(*ssa.Return).Results, known) {
				return stage, paths.Prune
			}
		}
		if at, needs := f.info.UseOf(n); needs && stage == second && f.info.Covers(at.Ctx, end.ID) {
			use = at
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return use, ok
}

// search follows the paths through a literal that is run, perhaps several times.
func (f *finder) search(frame *paths.Frame, stage int, visit paths.Visit) bool {
	for _, at := range f.g.At(frame.Call) {
		if at.Frame != frame.Parent {
			continue
		}
		_, found := f.g.Search(at, stage, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if !within(n, frame) {
				return stage, paths.Prune
			}
			return visit(n, stage, known)
		})
		return found
	}
	return false
}

func returns(n *paths.Node, frame *paths.Frame) bool {
	_, ok := n.Instr.(*ssa.Return)
	return ok && n.Frame == frame
}

// within reports whether a node runs in a frame, or one that it calls.
func within(n *paths.Node, frame *paths.Frame) bool {
	for in := n.Frame; in != nil; in = in.Parent {
		if in == frame {
			return true
		}
	}
	return false
}

package work

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Stopped returns the work of goroutines whose context is cancelled as soon as they have been
// started, and before something waits for them.
func (f *Finder) Stopped(g *paths.Graph) []Lost {
	var all []Lost
	reported := make(map[deadlines.End]bool)
	for _, n := range g.Nodes {
		start, body := f.started(n)
		if body == nil || start.Parent() != g.Fn {
			continue
		}
		use, ok := f.workOf(start, body)
		if !ok {
			continue
		}
		cancel, end := f.cancelled(g, n, use.Ctx)
		if cancel == nil || reported[end] || cancel.AfterFailure() || f.avoids(g, n, cancel) {
			continue
		}
		if wait := waitAfter(g, cancel); wait != nil {
			reported[end] = true
			all = append(all, Lost{Start: start, Use: use, End: end, Wait: wait})
		}
	}
	return all
}

// started returns what a node starts in a goroutine: a function of the package, by itself or in
// a group that can be waited for.
func (f *Finder) started(n *paths.Node) (ssa.CallInstruction, *ssa.Function) {
	switch start := n.Instr.(type) {
	case *ssa.Go:
		if targets := f.Calls.Callees(start); len(targets.Funcs) == 1 {
			return start, targets.Funcs[0]
		}
	case *ssa.Call:
		if _, fn, ok := kubeapi.GroupStart(start.Common()); ok && n.Joins == nil {
			return start, paths.Literal(f.Calls, fn)
		}
	}
	return nil, nil
}

// workOf returns what a goroutine needs a context for, if it neither goes on until it is told
// to stop nor asks whether it is.
func (f *Finder) workOf(start ssa.CallInstruction, body *ssa.Function) (use deadlines.Use, ok bool) {
	if len(body.Blocks) == 0 || len(loops.Of(body)) > 0 {
		return use, false
	}
	for _, n := range f.Info.Graphs.Of(body).Nodes {
		for range blocks.Received(n.Instr) {
			return use, false
		}
		if call, isCall := n.Instr.(*ssa.Call); isCall {
			if ctx := loops.ErrOf(call); ctx != nil {
				return use, false
			}
			if b := f.Info.Of(call); b != nil && len(b.Waits)+len(b.WaitsOK) > 0 {
				return use, false
			}
		}
		if at, needs := f.Info.UseOf(n); needs && !at.Derives && !ok {
			use, ok = at, true
		}
	}
	if !ok || body.Parent() != nil {
		return use, ok
	}
	return f.handed(start)
}

// cancelled returns the call that cancels a context of a goroutine if nothing has taken time
// since it was started.
func (f *Finder) cancelled(g *paths.Graph, start *paths.Node, ctx ssa.Value) (cancel *paths.Node, end deadlines.End) {
	g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if made, ok := n.Instr.(*ssa.Call); ok && n.Joins == nil && f.Info.Covers(ctx, made) {
			return stage, paths.Prune // the next round's
		}
		for _, e := range f.Info.EndsAt(g, n) {
			if e.How == deadlines.Cancelled && isDirect(n) && f.Info.Covers(ctx, e.ID) {
				cancel, end = n, e
				return stage, paths.Found
			}
		}
		if other, _ := f.started(n); other == nil && f.TakesTime(n) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return cancel, end
}

// isDirect reports whether a node runs where it stands, and not by a deferred call.
func isDirect(n *paths.Node) bool { return !n.Deferred && n.Frame.Parent == nil }

// avoids reports whether a path leads around the cancel, which then is called on purpose.
func (f *Finder) avoids(g *paths.Graph, start, cancel *paths.Node) bool {
	_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		switch {
		case n == cancel:
			return stage, paths.Prune
		case g.IsExit(n) || waits(n):
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

// waitAfter returns what waits after a node: for a group, or for what is sent.
func waitAfter(g *paths.Graph, after *paths.Node) ssa.Instruction {
	path, found := g.Search(after, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if waits(n) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	if !found {
		return nil
	}
	return path[len(path)-1].Instr
}

func waits(n *paths.Node) bool {
	for ch := range blocks.Received(n.Instr) {
		if !kubeapi.IsStopChannel(ch.Type()) {
			return true
		}
	}
	call, ok := n.Instr.(*ssa.Call)
	return ok && kubeapi.IsGroupWait(kubeapi.Callee(call.Common()))
}

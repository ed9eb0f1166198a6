// Package endlessloops finds loops that go on when the context or stop channel at hand has ended.
package endlessloops

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Report reports loops that go on when the context or stop channel at hand
// has ended.
func Report(u *subject.Unit) {
	c := &loopCheck{Unit: u, hands: make(map[*ssa.Function]*hand), waits: make(map[*ssa.Function]bool)}
	for _, fn := range u.Graph.Funcs {
		for _, loop := range loops.Of(fn) {
			if c.spinsOnDone(loop) || c.spinsOnClosed(loop) {
				continue
			}
			if f := c.judge(loop); f != nil {
				c.reportLoop(f)
			}
		}
	}
}

// loopCheck looks for endless loops in one package.
type loopCheck struct {
	*subject.Unit
	hands   map[*ssa.Function]*hand
	waits   map[*ssa.Function]bool // functions that wait for a context or channel
	callers map[*ssa.Function][]call
}

// call is a way into a function.
type call struct {
	from *ssa.Function
	how  entrypoints.How
}

// endless is a loop that nothing ends.
type endless struct {
	loop *loops.Loop
	hand *hand             // what it should listen to, or nil
	path *entrypoints.Path // the entry point that it is reached from, or nil
	// limit makes a context with a deadline that was meant to end the loop,
	// or nil.
	limit *contexts.Step
	// fails is the call that fails in each round once its context has ended,
	// and success tells that nothing but its success, or the success of some
	// other look-up, ends the loop.
	fails   *ssa.Call
	success bool
	// polls tells that it goes on until something that it looks up is as it wants,
	// or cannot be looked up.
	polls bool
}

// judge decides about one loop.
func (c *loopCheck) judge(loop *loops.Loop) *endless {
	exits := loop.Exits()
	// None of them is taken because of a channel or of a context: a quick look, before the loop is explored.
	if slices.ContainsFunc(exits, func(exit loops.Exit) bool {
		_, state := loops.SelectCase(exit.Cond)
		return exit.Cond == nil || state != nil
	}) {
		return nil
	}
	fn := loop.Head.Parent()
	f := &endless{loop: loop}
	d := &dead{check: c, loop: loop}
	var ends []loops.Exit
	explorer := &loops.Explorer{Loop: loop, World: d.truth, Stop: func(instr ssa.Instruction) bool {
		if !c.neverReturns(instr) {
			return false
		}
		ends = append(ends, waysTo(loop, instr.Block()))
		return true
	}}
	remaining, ok := explorer.Exits()
	if !ok {
		return nil
	}
	remaining = append(remaining, ends...)
	switch {
	case len(remaining) == 0 && c.neverLeft(loop):
		// Neither before nor after the context's end.
	case len(remaining) == 0:
		// Only the context's end closes all ways out.
		if f.fails = d.failing(); f.fails == nil {
			return nil
		}
	default:
		w := &lookups{check: c, loop: loop}
		if waitsForTime(loop) && w.all(remaining) {
			f.success = true
		} else if f.path = c.polls(loop, append(exits, ends...)); f.path != nil {
			f.polls = true
			return f
		} else {
			return nil
		}
	}
	if f.path = c.held(fn); f.path == nil {
		f.path = c.pathTo(fn)
	}
	f.hand = c.hand(fn)
	f.limit = c.limitOf(loop, f.fails)
	if f.hand == nil && f.limit == nil && !subject.HoldsUp(f.path) || c.endsProcess(fn) {
		return nil
	}
	if f.success && f.path == nil && f.limit == nil && c.IsCommand() && !c.Report.Strict() {
		return nil // a tool that somebody waits for, and interrupts
	}
	return f
}

// neverLeft reports whether a loop has no way out that could be taken.
func (c *loopCheck) neverLeft(loop *loops.Loop) bool {
	explorer := &loops.Explorer{Loop: loop, World: c.always}
	remaining, ok := explorer.Exits()
	return ok && len(remaining) == 0
}

// always is the world of what is so whether a context has ended or not: nobody
// closes the channel of a ticker, and some functions return the same each time.
func (c *loopCheck) always(v ssa.Value) paths.Truth {
	switch v := v.(type) {
	case *ssa.Extract:
		if receive, ok := v.Tuple.(*ssa.UnOp); ok && v.Index == 1 && loops.IsTimer(receive.X) {
			return paths.True
		}
	case *ssa.Call:
		return c.returnsAlways(v)
	}
	return paths.Unknown
}

// returnsAlways tells which boolean a function of the package returns on all
// its paths.
func (c *loopCheck) returnsAlways(call *ssa.Call) paths.Truth {
	targets := c.Graph.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || targets.Funcs[0].Signature.Results().Len() != 1 {
		return paths.Unknown
	}
	result := paths.Unknown
	for ret := range blocks.Returns(targets.Funcs[0]) {
		value, ok := kubeapi.ConstBool(ret.Results[0])
		if !ok || result != paths.Unknown && result != paths.TruthOf(value) {
			return paths.Unknown
		}
		result = paths.TruthOf(value)
	}
	return result
}

// waitsForTime reports whether a loop lets time pass in each round.
func waitsForTime(loop *loops.Loop) bool {
	return slices.ContainsFunc(loop.Waits(), func(wait loops.Wait) bool {
		sel, ok := wait.Instr.(*ssa.Select)
		return wait.Timed || ok && slices.ContainsFunc(sel.States, func(state *ssa.SelectState) bool { return loops.IsTimer(state.Chan) })
	})
}

// held returns the path from an entry point whose worker, handler or request
// is held by what fn does, or nil.
func (c *loopCheck) held(fn *ssa.Function) *entrypoints.Path {
	return c.Entries.PathTo(fn, kubeapi.Reconcile, kubeapi.Sync, kubeapi.Worker, kubeapi.EventHandler, kubeapi.Admission)
}

// pathTo returns the path from an entry point to fn, also through the start of
// a goroutine, or nil.
func (c *loopCheck) pathTo(fn *ssa.Function) *entrypoints.Path {
	if path := c.Entries.PathTo(fn); path != nil {
		return path
	}
	var best *entrypoints.Path
	for _, entry := range c.Entries.Entries {
		c.Entries.Walk(entry, func(*entrypoints.Path, *entrypoints.Edge) bool { return true }, func(p *entrypoints.Path) {
			if p.Fn == fn && (best == nil || len(p.Edges()) < len(best.Edges())) {
				best = p
			}
		})
	}
	return best
}

package channels

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Activity says in which thread of control an operation runs, seen from a
// function that has the channel: its frame.
type Activity struct {
	// Frame is the function from which the activity is started, or which has
	// the operation itself: where the channel is made, or where a function
	// that makes it returns to.
	Frame *ssa.Function
	// Start is the frame's instruction that leads to the operation.
	Start ssa.Instruction
	// Body is the function that a goroutine or a callback runs first, nil if
	// the operation runs in the frame's own thread.
	Body *ssa.Function
	// Spawn is the instruction that starts the goroutine or hands out the
	// callback, nil if Body is.
	Spawn ssa.Instruction
	// Callback tells that Body is called by code that is not known, any
	// number of times.
	Callback bool
	// Several tells that any number of such goroutines are started.
	Several bool
	// Repeats tells that the operation may run any number of times in one
	// goroutine or call.
	Repeats bool
	// Many tells that the operation may run any number of times for one
	// channel.
	Many bool
}

// Own reports whether the operation runs in the frame's own thread.
func (a Activity) Own() bool { return a.Body == nil }

// ActivityOf says in which activity the operation runs, seen from one of the
// frames; ok is false if that cannot be told.
func (i *Channels) ActivityOf(op Op, frames ...*ssa.Function) (a Activity, ok bool) {
	c := &climber{info: i, frames: frames, seen: make(map[*ssa.Function]bool)}
	return c.climb(op.Instr, Activity{}, 0)
}

// Frames are the functions that have a channel first: the one that makes it,
// and those that it is returned to.
func (ch *Channel) Frames() []*ssa.Function {
	var frames []*ssa.Function
	if ch.Made != nil {
		frames = append(frames, ch.Made.Parent())
	}
	for _, call := range ch.Results {
		if fn := call.Parent(); !slices.Contains(frames, fn) {
			frames = append(frames, fn)
		}
	}
	return frames
}

// climber goes from an operation up to a frame.
type climber struct {
	info   *Channels
	frames []*ssa.Function
	seen   map[*ssa.Function]bool
}

func (c *climber) climb(at ssa.Instruction, a Activity, depth int) (Activity, bool) {
	fn := at.Parent()
	repeated := loops.Repeats(at.Block())
	if slices.Contains(c.frames, fn) {
		a.Frame, a.Start = fn, at
		if repeated && !c.madeInside(at) {
			a.Many, a.Several = true, a.Body != nil
		}
		return a, true
	}
	if c.seen[fn] || depth > maxDepth {
		return a, false
	}
	c.seen[fn] = true
	if repeated {
		a.Many = true
		a.Several = a.Several || a.Body != nil
		a.Repeats = a.Repeats || a.Body == nil
	}
	found := 0
	var best Activity
	for _, up := range c.up(fn) {
		next := a
		if up.spawned && next.Body == nil {
			next.Body, next.Spawn, next.Callback = fn, up.at, up.callback
		}
		next.Many = next.Many || up.many
		next.Repeats = next.Repeats || up.many
		if reached, ok := c.climb(up.at, next, depth+1); ok {
			if found++; found == 1 {
				best = reached
			}
		}
	}
	if found > 1 {
		best.Many = true
	}
	return best, found > 0
}

// madeInside reports whether the channel is made anew in each round of the
// loops around at: the frame's channels are, if one of the loops has a
// MakeChan of its own.
func (c *climber) madeInside(at ssa.Instruction) bool {
	for _, loop := range loops.Of(at.Parent()) {
		if !loop.Blocks[at.Block()] {
			continue
		}
		inside := false
		for block := range loop.Blocks {
			inside = inside || slices.ContainsFunc(block.Instrs, func(instr ssa.Instruction) bool { _, ok := instr.(*ssa.MakeChan); return ok })
		}
		if !inside {
			return false
		}
	}
	return true
}

// way is one way in which a function is run.
type way struct {
	at                      ssa.Instruction
	spawned, callback, many bool
}

// up returns the ways in which fn is run.
func (c *climber) up(fn *ssa.Function) []way {
	var ways []way
	direct := false
	for _, call := range c.info.graph.Callers(fn) {
		if fn.Parent() == nil || blocks.Within(call.Parent(), fn.Parent()) {
			ways = append(ways, way{at: call, spawned: isGo(call)})
			direct = true
		}
	}
	if direct || fn.Parent() == nil {
		return ways
	}
	for _, closure := range c.info.graph.Closures(fn) {
		ways = append(ways, c.handed(fn, closure, closure, 0)...)
	}
	return ways
}

// handed tells what becomes of a literal that is not called where it stands.
func (c *climber) handed(fn *ssa.Function, closure *ssa.MakeClosure, v ssa.Value, depth int) []way {
	if v.Referrers() == nil || depth > 4 {
		return nil
	}
	var ways []way
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.ChangeType:
			ways = append(ways, c.handed(fn, closure, ref, depth+1)...)
		case *ssa.MakeInterface:
			ways = append(ways, way{at: closure, spawned: true, callback: true, many: true})
		case ssa.CallInstruction:
			ways = append(ways, c.passed(fn, ref, v))
		case *ssa.Store:
			if ref.Val == v {
				ways = append(ways, way{at: ref, spawned: true, callback: true, many: true})
			}
		}
	}
	return ways
}

// passed tells how a literal is run by a call that it is handed to.
func (c *climber) passed(fn *ssa.Function, call ssa.CallInstruction, v ssa.Value) way {
	common := call.Common()
	if _, body, ok := kubeapi.GroupStart(common); ok && body == v {
		return way{at: call, spawned: true}
	}
	callee := kubeapi.Callee(common)
	_, args := kubeapi.Args(common)
	for n, arg := range args {
		if arg != v {
			continue
		}
		if kubeapi.IsAfterFunc(callee) || kubeapi.IsFunc(callee, "context", "AfterFunc") {
			return way{at: call, spawned: true}
		}
		if kubeapi.RunsInPlace(callee, n) {
			return way{at: call, spawned: isGo(call), many: true}
		}
		index := len(common.Args) - len(args) + n
		if how, ok := c.info.graph.RunsArg(common, index); ok || c.info.runsOnce(call, index) {
			return way{at: call, spawned: isGo(call), many: how.Again}
		}
	}
	// A function of the package that calls its parameter.
	for _, target := range c.info.graph.Callees(call).Funcs {
		for _, site := range c.info.graph.Callers(fn) {
			if blocks.Within(site.Parent(), target) {
				return way{at: call, spawned: isGo(site) || site.Parent() != target, many: true}
			}
		}
	}
	return way{at: call, spawned: true, callback: true, many: true}
}

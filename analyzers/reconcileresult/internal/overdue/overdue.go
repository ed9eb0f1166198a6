// Package overdue finds a RequeueAfter that need not be positive: the time that is left
// until another one, which may have passed. controller-runtime then requeues nothing.
package overdue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/reconcileresult/internal/results"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// maxDepth bounds how far calls are followed.
const maxDepth = 3

// maxFields bounds how many fields lead to one.
const maxFields = 4

// left is a duration that is left until a time which an object or something
// else outside the program has: it is negative once that time has passed.
type left struct {
	at   ssa.Value // the instruction that computes it, or the call of what does
	time ssa.Value // the time
	in   ssa.Value // the instruction in that function, or nil
	most ssa.Value // the longest time that has gone by since one of several, or nil
}

// Kind is what is wrong with a RequeueAfter.
type Kind uint8

const (
	Past        Kind = iota // nobody has asked whether the time has passed
	Recomputed              // that was asked, and the clock is read again afterwards
	Reversed                // the difference is the wrong way round
	Over                    // it was found that the time has passed
	Told                    // an error has told the time, which was to come when that was made
	Clamped                 // where nothing is left it is zero
	ClampedLate             // the same, and whether the time has passed was asked before
	Least                   // it is the least of a delay and of one that is still zero
	Capped                  // the same, and the other one is a constant
)

// A Case is a RequeueAfter that need not be positive.
type Case struct {
	Kind
	At   *ssa.Store
	Left ssa.Value // what computes the time that is left, or takes the least; nil if that is reversed
	In   ssa.Value // the instruction that does in the function that Left calls, or nil
}

// Finder looks for cases in a package.
type Finder struct {
	*objects.Summaries
	Origins *origins.Tracer
	Strict  bool // a second look at the clock is another question
}

// In returns the cases of a function.
func (c *Finder) In(fn *ssa.Function) []Case {
	u := c.Unit(fn)
	if !slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool { return requeueAfterStored(n) != nil }) {
		return nil
	}
	var cases []Case
	found := make(map[*ssa.Store]bool)
	note := func(kind Kind, at *ssa.Store, l left) {
		if at != nil && !found[at] {
			found[at] = true
			cases = append(cases, Case{kind, at, l.at, l.in})
		}
	}
	for _, d := range c.decided(u) {
		found[d.At] = true
		cases = append(cases, d)
	}
	if at, taken := c.least(u); at != nil && taken != nil {
		kind := Least
		if isCap(taken) {
			kind = Capped
		}
		note(kind, at, left{at: taken})
	}
	for _, n := range u.Graph.Nodes {
		if at, l := c.clamped(u, n); at != nil {
			if !c.Strict && c.isAskedNearby(fn, l) {
				note(ClampedLate, at, l)
			} else {
				note(Clamped, at, l)
			}
		}
		l, ok := c.leftAt(n, 0)
		if !ok {
			continue
		}
		bounds := c.bounds(u, l)
		if at := c.requeuedAfter(u, l, bounds); at != nil {
			switch {
			case isInError(l.time):
				note(Told, at, l)
			case c.Strict || !c.isComparedWithNothing(u, l) && !c.isAskedNearby(fn, l):
				note(Past, at, l)
			}
		} else if forget(bounds, func(v ssa.Value) bool { return readsClockAgain(v, l) }) {
			if at := c.requeuedAfter(u, l, bounds); at != nil && whetherToCome(at.Block(), l.time, nil) != paths.False {
				note(Recomputed, at, l)
			}
		}
	}
	return cases
}

// requeueAfterStored returns the store that sets RequeueAfter at a node.
func requeueAfterStored(n *paths.Node) *ssa.Store {
	if _, ok := results.AfterAt(n.Instr); ok {
		return n.Instr.(*ssa.Store)
	}
	return nil
}

// leftAt recognises time.Until(t), t.Sub(now), limit - time.Since(t), and calls
// of functions that return one of these as it is.
func (c *Finder) leftAt(n *paths.Node, depth int) (left, bool) {
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		if t := c.until(instr.Common()); t != nil {
			return left{at: instr, time: t}, c.isData(t)
		}
		if t := c.untilBehind(instr); t != nil {
			return left{at: instr, time: t}, true
		}
		if depth < maxDepth {
			return c.leftReturned(instr, depth)
		}
	case *ssa.BinOp:
		if instr.Op != token.SUB || !kubeapi.IsDuration(instr.Type()) {
			return left{}, false
		}
		if call, ok := instr.Y.(*ssa.Call); ok {
			if t := c.since(call.Common()); t != nil {
				return left{at: instr, time: t}, c.isData(t)
			}
		}
		if t := c.longest(instr.Y); t != nil {
			return left{at: instr, time: t, most: instr.Y}, true
		}
	}
	return left{}, false
}

// untilBehind returns the time that a function asks time.Until about which does
// nothing else, if the caller has read it.
func (c *Finder) untilBehind(call *ssa.Call) ssa.Value {
	t := kubeapi.TimeUntil(c.Calls.Through(call.Common()))
	if t == nil || t.Parent() != call.Parent() || !c.isData(t) {
		return nil
	}
	return t
}

// leftReturned looks into a function that returns a duration, or a pointer to one.
func (c *Finder) leftReturned(call *ssa.Call, depth int) (left, bool) {
	if !kubeapi.IsDuration(kubeapi.Deref(call.Type())) || paths.Literal(c.Calls, call.Call.Value) != nil {
		return left{}, false
	}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 {
		return left{}, false
	}
	u := c.Unit(targets.Funcs[0])
	for _, n := range u.Graph.Nodes {
		l, ok := c.leftAt(n, depth+1)
		if ok && c.follow(u, l, c.bounds(u, l), func(n *paths.Node) ssa.Value {
			if ret, ok := n.Instr.(*ssa.Return); ok && u.Graph.IsExit(n) {
				return ret.Results[0]
			}
			return nil
		}) != nil {
			in := l.in
			if in == nil {
				in = l.at
			}
			return left{at: call, time: l.time, in: in}, true
		}
	}
	return left{}, false
}

// requeuedAfter returns the store that sets RequeueAfter to what is left, on a
// path on which nobody has asked whether anything is.
func (c *Finder) requeuedAfter(u *objects.Unit, l left, bounds map[ssa.Value]paths.Truth) *ssa.Store {
	found := c.follow(u, l, bounds, func(n *paths.Node) ssa.Value {
		if store := requeueAfterStored(n); store != nil && !requeuesAnyway(store) {
			return store.Val
		}
		return nil
	})
	if found == nil {
		return nil
	}
	return requeueAfterStored(found)
}

// requeuesAnyway reports whether the same Result has Requeue set, too.
func requeuesAnyway(store *ssa.Store) bool {
	result := store.Addr.(*ssa.FieldAddr).X
	for addr := range blocks.UsesOf[*ssa.FieldAddr](result) {
		if kubeapi.RequeueField(addr) != "Requeue" {
			continue
		}
		for range blocks.Stores(addr) {
			return true
		}
	}
	return false
}

const isLeft paths.Label = 1

// follow returns the first node that takes what is left as it is: used says what
// a node takes.
func (c *Finder) follow(u *objects.Unit, l left, bounds map[ssa.Value]paths.Truth, used func(*paths.Node) ssa.Value) *paths.Node {
	if l.most != nil && len(bounds) > 0 {
		return nil
	}
	assume := make(map[ssa.Value]paths.Truth, len(bounds))
	for v := range bounds {
		assume[v] = paths.Unknown
	}
	carrier := &paths.Carrier{
		Label: func(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
			v, ok := instr.(ssa.Value)
			if ok && v == l.at {
				return l.at, isLeft, true
			}
			for _, from := range []ssa.Value{kubeapi.DurationFrom(instr), pointedTo(v)} {
				if ok && from != nil && of(from) == isLeft {
					return v, isLeft, true
				}
			}
			return nil, 0, false
		},
		Other: func(ssa.Value) paths.Label { return 0 },
	}
	var found *paths.Node
	u.Graph.Search(nil, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if stage < 0 { // It is taken, and counts unless there is an error.
			switch {
			case !u.Graph.IsExit(n):
				return stage, paths.Continue
			case u.Graph.Outcome(n, known) == paths.True:
				return stage, paths.Prune
			}
			found = u.Graph.Nodes[-1-stage]
			return stage, paths.Found
		}
		for v, t := range bounds {
			if have := known.Of(v); have != paths.Unknown && (t == have || t == paths.Unknown) {
				return stage, paths.Prune
			}
		}
		if c.sets(u, n, l) {
			return stage, paths.Prune
		}
		held := carrier.Step(n, known, paths.Held(stage))
		if carrier.Lost() {
			return stage, paths.Prune
		}
		switch v := used(n); {
		case v == nil || carrier.Of(held, v) != isLeft:
			return int(held), paths.Continue
		case u.Graph.IsExit(n):
			found = n
			return stage, paths.Found
		}
		return -1 - n.Index(), paths.Continue
	})
	return found
}

// pointedTo returns the pointer that a duration is read through, or nil.
func pointedTo(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || !kubeapi.IsDuration(load.Type()) {
		return nil
	}
	return load.X
}

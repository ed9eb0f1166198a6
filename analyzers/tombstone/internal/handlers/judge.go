package handlers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/report/wording"
)

// judge finds out which handlers lose tombstones.
func (f *finder) judge() {
	f.seen = make(map[lossKey]bool)
	for _, g := range f.order {
		for _, h := range f.innerOf(g) {
			h.behind = true
		}
	}
	for _, g := range f.order {
		if g.behind {
			continue
		}
		for _, reg := range g.deletes {
			if p := f.parameter(reg.fn); p != nil {
				f.registers(p)
			}
		}
		f.judgeGroup(g, 0)
	}
}

// judgeGroup judges one handler and, unless its filter lets no tombstone
// through, those behind it.
func (f *finder) judgeGroup(g *group, depth int) {
	for _, reg := range g.deletes {
		runs, _ := f.runs(reg)
		for _, run := range runs {
			known := len(f.info.Losses)
			f.judgeRun(run)
			for i := range f.info.Losses[known:] {
				l := &f.info.Losses[known+i]
				l.Repeated = f.repeats(l, g.updates)
			}
		}
	}
	if len(g.inner) == 0 || depth > maxDepth {
		return
	}
	inner := f.innerOf(g)
	if f.filtered(g, inner) {
		return
	}
	for _, h := range inner {
		f.judgeGroup(h, depth+1)
	}
}

// innerOf returns the handlers behind a filter.
func (f *finder) innerOf(g *group) []*group {
	var inner []*group
	for _, v := range g.inner {
		more, _ := f.behind(v, 0)
		inner = append(inner, more...)
	}
	return inner
}

// judgeRun records the losses of a function that is called for deletions, and
// of the workers that it hands a tombstone to.
func (f *finder) judgeRun(run handlerRun) {
	if run.tomb.overflow {
		return
	}
	f.losses(Loss{Handler: run.Handler}, run.tomb, run.object)
	for _, d := range run.tomb.sent {
		f.delivered(run.Handler, d)
	}
}

// delivered follows a tombstone to the workers on the other side of a queue or
// channel.
func (f *finder) delivered(h Handler, d delivery) {
	for _, c := range f.consumers(d) {
		fn := c.at.Parent()
		out := f.start(activation{fn: fn, from: c.at, value: c.value})
		if out.overflow {
			continue
		}
		f.losses(Loss{Handler: h, Sent: d.at, Queue: containerName(d.container), SentKnowingly: d.recognised}, out, func() *outcome {
			ordinary := d
			ordinary.value = d.value.asObject()
			v, _ := f.takes(c.at, ordinary)
			return f.start(activation{fn: fn, from: c.at, value: v})
		})
	}
}

// losses records the ways of ending in which a tombstone is lost; object runs
// the same with an object.
func (f *finder) losses(l Loss, out *outcome, object func() *outcome) {
	ends := make(map[*cause][]exit)
	var causes []*cause
	ignored := len(out.exits) > 0
	for _, e := range out.exits {
		if e.doubt {
			return
		}
		ignored = ignored && e.cause == nil && !e.worked && !e.after
		if e.cause == nil {
			continue
		}
		if ends[e.cause] == nil {
			causes = append(causes, e.cause)
		}
		ends[e.cause] = append(ends[e.cause], e)
	}
	for _, c := range causes {
		loss := l
		loss.Cause = c.Cause
		handled, before, panicked, always, stays := false, false, false, true, false
		for _, e := range ends[c] {
			stays = stays || e.stays
			panicked = panicked || e.panicked
			always = always && e.panicked
			handled = handled || e.after
			before = before || e.worked
		}
		// A worker does much that has nothing to do with the item.
		loss.Stays = stays && c.Kind == RawKey
		loss.Partial = before && !panicked && l.Sent == nil && !loss.Stays
		loss.Panicked = always
		crashes := panicked && (c.Kind == Panics || c.Kind == Dereferenced)
		if crashes || loss.Stays || !handled && (panicked || missed(c, object())) {
			f.add(loss, c)
		}
	}
	if ignored {
		f.ignored(l, out, object)
	}
}

// missed reports whether something is done with an object behind the place
// where a tombstone is lost.
func missed(c *cause, object *outcome) bool {
	if c.Kind == Pointer {
		return object.worked && !object.overflow
	}
	lost, ok := c.Instr.(*ssa.TypeAssert)
	if !ok {
		return object.works[c.Instr]
	}
	// In whichever case of a type switch.
	for at := range object.works {
		if passed, ok := at.(*ssa.TypeAssert); ok && passed.X == lost.X {
			return true
		}
	}
	return false
}

// ignored records a tombstone that is recognised and then dropped.
func (f *finder) ignored(l Loss, out *outcome, object func() *outcome) {
	for _, e := range out.exits {
		if e.recognisedBy == nil || e.recognisedBy.Parent() != l.Handler.Fn {
			continue
		}
		if with := object(); with.overflow || !with.worked {
			return
		}
		l.Cause = Cause{Kind: Deliberate, Instr: e.recognisedBy}
		f.add(l, &cause{Cause: l.Cause})
		return
	}
}

type lossKey struct {
	kind Kind
	at   ssa.Instruction
}

func (f *finder) add(l Loss, c *cause) {
	key := lossKey{c.Kind, c.Instr}
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	l.AssertedName, l.FuncName, l.ofKey = c.told.asserted, c.told.fn, c.told.onlyKey
	if c.Asserted != nil {
		l.AssertedName = wording.TypeName(c.Asserted)
	}
	if c.Func != nil {
		l.FuncName = FuncName(c.Func)
	}
	f.info.Losses = append(f.info.Losses, l)
}

// filtered judges the filter in front of handlers. It reports whether the
// filter lets no tombstone through, or cannot be looked into.
func (f *finder) filtered(g *group, inner []*group) bool {
	rejects := false
	for _, reg := range g.filters {
		runs, known := f.runs(reg)
		rejects = rejects || !known
		for _, run := range runs {
			rejects = run.tomb.overflow || f.rejects(run, inner) || rejects
		}
	}
	return rejects
}

// rejects judges a filter's run with a tombstone.
func (f *finder) rejects(run handlerRun, inner []*group) bool {
	rejects := len(run.tomb.exits) > 0
	var why *cause
	for _, e := range run.tomb.exits {
		if e.doubt {
			return true // cannot tell
		}
		if e.panicked {
			if e.cause != nil {
				f.add(Loss{Cause: e.cause.Cause, Handler: run.Handler}, e.cause)
			}
			continue
		}
		rejects = rejects && len(e.results) == 1 && e.results[0].kind == no
		if why == nil {
			why = e.cause
		}
	}
	if !rejects {
		return false
	}
	if why == nil {
		return true // never lets anything through, or drops tombstones knowingly
	}
	if deletes := f.deletes(inner, 0); deletes != nil && !refusesAll(run.object()) {
		f.add(Loss{Cause: why.Cause, Handler: run.Handler, Filtered: deletes}, why)
	}
	return true
}

// refusesAll reports whether a filter lets no object through either, as one that asks for a value where
// informers hand over pointers.
func refusesAll(objects *outcome) bool {
	return !objects.overflow && len(objects.exits) > 0 && !slices.ContainsFunc(objects.exits, func(e exit) bool {
		return e.doubt || len(e.results) != 1 || e.results[0].kind != no
	})
}

// deletes returns the function for deletions behind a filter, if it does
// anything that lasts.
func (f *finder) deletes(inner []*group, depth int) *Handler {
	if depth > maxDepth {
		return nil
	}
	for _, g := range inner {
		for _, reg := range g.deletes {
			runs, known := f.runs(reg)
			for _, run := range runs {
				if run.object().worked {
					return &run.Handler
				}
			}
			if !known {
				return &Handler{What: reg.what, Registered: reg.at}
			}
		}
		if h := f.deletes(f.innerOf(g), depth+1); h != nil {
			return h
		}
	}
	return nil
}

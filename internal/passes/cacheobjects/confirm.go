package cacheobjects

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// isReplacedBefore reports whether the elements of what the source returned may
// have been replaced by copies before an instruction: in a loop over all of them,
// it is taken.
func (s *source) isReplacedBefore(instr ssa.Instruction) bool {
	return slices.ContainsFunc(s.copied, func(by ssa.Instruction) bool {
		return by.Parent() != instr.Parent() || blocks.Follows(by, instr)
	})
}

// confirm marks those of the events to which a path leads from the source of
// what is written, on which it is still the same memory; where there is no merge
// on the way, that is known.
func (u *unit) confirm(events []*event) {
	bySource := make(map[*source][]*goal)
	var order []*source
	of := make(map[*goal]*event)
	for _, e := range events {
		switch {
		case e.confirmed || e.refuted:
			continue
		case e.from.src.isReplacedBefore(e.instr), u.graph(u.outer).Contradicts(e.instr):
			e.refuted = true
			continue
		case !e.from.merged:
			e.confirmed = true
			continue
		}
		g := &goal{to: e.instr, test: func(get lookup) bool { return u.is(e, get) }}
		if bySource[e.from.src] == nil {
			order = append(order, e.from.src)
		}
		bySource[e.from.src] = append(bySource[e.from.src], g)
		of[g] = e
	}
	for _, src := range order {
		u.trace(src, bySource[src])
		for _, g := range bySource[src] {
			of[g].confirmed, of[g].refuted = g.found, !g.found
		}
	}
}

// is reports whether an event's instruction writes to what came from the
// source, at a point of a path.
func (u *unit) is(e *event, get lookup) bool {
	for _, w := range u.writes(e.instr, get) {
		if w.how != e.how || w.fn != e.fn || w.path != e.path || w.short != e.short || w.doubtful != e.doubtful {
			continue
		}
		if slices.ContainsFunc(w.origins(get), func(o origin) bool { return o.src == e.from.src }) {
			return true
		}
	}
	return false
}

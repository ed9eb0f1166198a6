package deadlines

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
)

// Ended tells for each node of a graph whether a context has ended there.
type Ended struct {
	states []state
}

// state is what may be the case when a node is about to run, seen over all
// paths that lead to it.
type state struct {
	may     uint8 // alive, lost or gone
	witness *End
}

const (
	alive uint8 = 1 << iota
	lost        // it has ended, or something has failed
	gone        // it has ended
)

// EndedAt follows a context through a graph; nil if nothing there ends it.
func (i *Deadlines) EndedAt(g *paths.Graph, id ID) *Ended {
	if !i.eventsOf(g).sure[id] {
		return nil
	}
	return i.endedAt(g, id)
}

// endedAt is [Deadlines.EndedAt] for a context that only may have ended, too.
func (i *Deadlines) endedAt(g *paths.Graph, id ID) *Ended {
	all := i.eventsOf(g)
	if !all.maybe[id] || g.Entry == nil {
		return nil
	}
	e := &Ended{states: make([]state, len(g.Nodes))}
	queue := []*paths.Node{g.Entry}
	e.states[g.Entry.Index()].may = alive
	for len(queue) > 0 {
		node := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		n := node.Index()
		out := e.states[n]
		if i.Renews(node, id) {
			out = state{may: alive}
		}
		out = out.after(pick(all.after[n], id))
		for s, succ := range node.Succs {
			next := out.after(pick(all.onEdge[edge{n, s}], id))
			if branch, ok := node.Instr.(*ssa.If); ok && i.livesOnEdge(branch, s == 0, id) {
				next = state{may: alive}
			}
			at := &e.states[succ.Index()]
			if next.may&^at.may == 0 {
				continue
			}
			at.may |= next.may
			if at.witness == nil || next.witness != nil && next.witness.Sure && !at.witness.Sure {
				at.witness = next.witness
			}
			queue = append(queue, succ)
		}
	}
	return e
}

// after returns the state when end, which may be nil, has happened.
func (s state) after(end *End) state {
	switch {
	case end == nil:
		return s
	case end.Sure:
		return state{may: gone, witness: end}
	case s.may&alive != 0:
		s.may = s.may&^alive | lost
		if s.witness == nil {
			s.witness = end
		}
	}
	return s
}

// Reached reports whether a path leads to n.
func (e *Ended) Reached(n *paths.Node) bool { return e.states[n.Index()].may != 0 }

// Sure reports whether the context has ended on every path to n.
func (e *Ended) Sure(n *paths.Node) bool { return e.states[n.Index()].may == gone }

// Before returns what has ended the context, if it has ended when n runs: on
// some paths for sure, and on all others unless something has failed.
func (e *Ended) Before(n *paths.Node) *End {
	s := e.states[n.Index()]
	if s.may&alive != 0 || s.may&gone == 0 {
		return nil
	}
	return s.witness
}

// Maybe returns what has ended the context, if it has on some of the paths to
// n.
func (e *Ended) Maybe(n *paths.Node) *End {
	s := e.states[n.Index()]
	if s.may&gone == 0 || s.witness == nil || !s.witness.Sure {
		return nil
	}
	return s.witness
}

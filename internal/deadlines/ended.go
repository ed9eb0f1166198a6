package deadlines

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
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
func (i *Info) EndedAt(g *flow.Graph, id ID) *Ended {
	if !i.eventsOf(g).sure[id] {
		return nil
	}
	return i.endedAt(g, id)
}

// endedAt is [Info.EndedAt] for a context that only may have ended, too.
func (i *Info) endedAt(g *flow.Graph, id ID) *Ended {
	all := i.eventsOf(g)
	if !all.any[id] || g.Entry == nil {
		return nil
	}
	e := &Ended{states: make([]state, len(g.Nodes))}
	queue := []*flow.Node{g.Entry}
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

// events are the ends of contexts in a graph.
type events struct {
	after  map[int][]End // by node
	onEdge map[edge][]End
	any    map[ID]bool // those that may end somewhere
	sure   map[ID]bool // those that surely do
}

// edge is the way from a node to one of its successors.
type edge struct{ node, succ int }

func pick(ends []End, id ID) *End {
	for n := range ends {
		if ends[n].ID == id {
			return &ends[n]
		}
	}
	return nil
}

// eventsOf returns the ends of contexts in a graph.
func (i *Info) eventsOf(g *flow.Graph) *events {
	i.mu.Lock()
	e := i.events[g]
	i.mu.Unlock()
	if e != nil {
		return e
	}
	e = &events{after: make(map[int][]End), onEdge: make(map[edge][]End), any: make(map[ID]bool), sure: make(map[ID]bool)}
	note := func(ends []End) []End {
		for _, end := range ends {
			e.any[end.ID] = true
			if end.Sure {
				e.sure[end.ID] = true
			}
		}
		return ends
	}
	// What a call runs stands between the call's node and the one that joins.
	joined := make(map[ssa.CallInstruction]bool)
	for _, node := range g.Nodes {
		if node.Joins != nil {
			joined[node.Joins] = true
		}
	}
	for n, node := range g.Nodes {
		branch, ok := node.Instr.(*ssa.If)
		if !ok {
			if call := node.Call(); call != nil && joined[call] && node.Joins == nil {
				continue
			}
			if ends := note(i.endsOf(node)); len(ends) > 0 {
				e.after[n] = ends
			}
			continue
		}
		for s := range node.Succs {
			if ends := note(i.EndsOnEdge(branch, s == 0)); len(ends) > 0 {
				e.onEdge[edge{n, s}] = ends
			}
		}
	}
	i.mu.Lock()
	i.events[g] = e
	i.mu.Unlock()
	return e
}

// EndsIn returns the IDs of the contexts that surely end somewhere in a graph,
// in the order of the places.
func (i *Info) EndsIn(g *flow.Graph) []ID {
	all := i.eventsOf(g)
	var ids []ID
	note := func(ends []End) {
		for _, end := range ends {
			if end.Sure && !slices.Contains(ids, end.ID) {
				ids = append(ids, end.ID)
			}
		}
	}
	for n, node := range g.Nodes {
		note(all.after[n])
		for s := range node.Succs {
			note(all.onEdge[edge{n, s}])
		}
	}
	return ids
}

// EndsAt returns the contexts that have ended when a node of a graph has run.
func (i *Info) EndsAt(g *flow.Graph, n *flow.Node) []End { return i.eventsOf(g).after[n.Index()] }

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
func (e *Ended) Reached(n *flow.Node) bool { return e.states[n.Index()].may != 0 }

// Sure reports whether the context has ended on every path to n.
func (e *Ended) Sure(n *flow.Node) bool { return e.states[n.Index()].may == gone }

// Before returns what has ended the context, if it has ended when n runs: on
// some paths for sure, and on all others unless something has failed.
func (e *Ended) Before(n *flow.Node) *End {
	s := e.states[n.Index()]
	if s.may&alive != 0 || s.may&gone == 0 {
		return nil
	}
	return s.witness
}

// Maybe returns what has ended the context, if it has on some of the paths to
// n.
func (e *Ended) Maybe(n *flow.Node) *End {
	s := e.states[n.Index()]
	if s.may&gone == 0 || s.witness == nil || !s.witness.Sure {
		return nil
	}
	return s.witness
}

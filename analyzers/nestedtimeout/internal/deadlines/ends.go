package deadlines

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
)

// events are the ends of contexts in a graph.
type events struct {
	after  map[int][]End // by node
	onEdge map[edge][]End
	maybe  map[ID]bool // those that may end somewhere
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
func (i *Deadlines) eventsOf(g *paths.Graph) *events {
	i.mu.Lock()
	e := i.events[g]
	i.mu.Unlock()
	if e != nil {
		return e
	}
	e = &events{after: make(map[int][]End), onEdge: make(map[edge][]End), maybe: make(map[ID]bool), sure: make(map[ID]bool)}
	note := func(ends []End) []End {
		for _, end := range ends {
			e.maybe[end.ID] = true
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
func (i *Deadlines) EndsIn(g *paths.Graph) []ID {
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
func (i *Deadlines) EndsAt(g *paths.Graph, n *paths.Node) []End {
	return i.eventsOf(g).after[n.Index()]
}

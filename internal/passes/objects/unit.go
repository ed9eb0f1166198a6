package objects

import (
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
)

// Unit is a function with the literals that are part of its path graph, and
// what happens to objects in it.
type Unit struct {
	Fn     *ssa.Function
	Graph  *paths.Graph
	Sites  []Site // in the order of the graph's nodes
	events map[*paths.Node][]Event
	writes []Event

	compare     sync.Once
	comparisons []comparison
}

// Site is an event at a node.
type Site struct {
	Event
	Node *paths.Node
}

// At returns what happens to objects at a node of the unit.
func (u *Unit) At(n *paths.Node) []Event { return u.events[n] }

// Unit returns the unit of a function of this package.
func (s *Summaries) Unit(fn *ssa.Function) *Unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, ok := s.units[fn]
	if ok {
		return u
	}
	g, ok := s.graphs[fn]
	if !ok {
		g = paths.NewGraph(fn, s.Calls, s.runs)
		s.graphs[fn] = g
	}
	u = &Unit{Fn: fn, Graph: g, events: make(map[*paths.Node][]Event)}
	for _, n := range g.Nodes {
		events := s.at(n)
		if len(events) == 0 {
			continue
		}
		u.events[n] = events
		for _, e := range events {
			u.Sites = append(u.Sites, Site{e, n})
			if e.Kind == Written {
				u.writes = append(u.writes, e)
			}
		}
	}
	s.units[fn] = u
	return u
}

// Units returns the functions to look at one by one: all declared functions,
// and the literals that are not part of the graph of the function around them.
func (s *Summaries) Units() []*ssa.Function {
	var units []*ssa.Function
	for _, fn := range s.Calls.Funcs {
		if len(fn.Blocks) > 0 && (fn.Parent() == nil || !s.spliced[fn]) {
			units = append(units, fn)
		}
	}
	return units
}

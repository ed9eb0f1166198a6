package paths

import (
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
)

// Graphs are the paths through the functions of a package, each made when it is asked for.
type Graphs struct {
	calls *calls.Graph

	mu    sync.Mutex
	known map[*ssa.Function]*Graph
}

// NewGraphs returns the paths through the functions of a package.
func NewGraphs(calls *calls.Graph) *Graphs {
	return &Graphs{calls: calls, known: make(map[*ssa.Function]*Graph)}
}

// Of returns the paths through a function.
func (g *Graphs) Of(fn *ssa.Function) *Graph {
	g.mu.Lock()
	defer g.mu.Unlock()
	graph := g.known[fn]
	if graph == nil {
		graph = NewGraph(fn, g.calls, nil)
		g.known[fn] = graph
	}
	return graph
}

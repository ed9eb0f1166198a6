package entrypoints

import (
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// reverse answers how entries reach functions, with the edges turned round.
type reverse struct {
	once  sync.Once
	users map[*ssa.Function][]*ssa.Function

	mu    sync.Mutex // guards paths
	paths map[pathQuestion]*Path
}

type pathQuestion struct {
	fn    *ssa.Function
	kinds uint64 // a bit for each; none is all
}

// PathTo returns a shortest path by which an entry of one of the kinds (or any
// kind, if none is given) reaches fn, or nil.
func (r *Result) PathTo(fn *ssa.Function, kinds ...kubeapi.EntryKind) *Path {
	question := pathQuestion{fn: fn}
	for _, kind := range kinds {
		question.kinds |= 1 << kind
	}
	r.reverse.mu.Lock()
	path, known := r.reverse.paths[question]
	r.reverse.mu.Unlock()
	if known {
		return path
	}
	path = r.pathTo(fn, kinds)
	r.reverse.mu.Lock()
	defer r.reverse.mu.Unlock()
	if r.reverse.paths == nil {
		r.reverse.paths = make(map[pathQuestion]*Path)
	}
	r.reverse.paths[question] = path
	return path
}

func (r *Result) pathTo(fn *ssa.Function, kinds []kubeapi.EntryKind) *Path {
	distance := r.distances(fn)
	var best *Path
	length := 0
	for _, entry := range r.Entries {
		if len(kinds) > 0 && !slices.Contains(kinds, entry.Kind) {
			continue
		}
		// A worker's path may be longer, since not all that it does counts.
		least, reached := distance[entry.Fn]
		if !reached || best != nil && least >= length {
			continue
		}
		if path := r.walkTo(entry, fn, distance); path != nil {
			if n := len(path.Edges()); best == nil || n < length {
				best, length = path, n
			}
		}
	}
	return best
}

// walkTo returns a shortest path from an entry, through functions that lead to fn.
func (r *Result) walkTo(entry *Entry, fn *ssa.Function, distance map[*ssa.Function]int) *Path {
	var found *Path
	r.Walk(entry, func(_ *Path, edge *Edge) bool {
		_, leads := distance[edge.Callee]
		return found == nil && leads && edge.How != Started
	}, func(p *Path) {
		if p.Fn == fn {
			found = p
		}
	})
	return found
}

// distances returns the functions from which fn is reached, with the least
// number of edges to it.
func (r *Result) distances(fn *ssa.Function) map[*ssa.Function]int {
	r.reverse.once.Do(func() {
		r.reverse.users = make(map[*ssa.Function][]*ssa.Function)
		for from, edges := range r.edges {
			for i := range edges {
				if edges[i].How != Started {
					r.reverse.users[edges[i].Callee] = append(r.reverse.users[edges[i].Callee], from)
				}
			}
		}
	})
	distance := map[*ssa.Function]int{fn: 0}
	for queue := []*ssa.Function{fn}; len(queue) > 0; queue = queue[1:] {
		for _, user := range r.reverse.users[queue[0]] {
			if _, seen := distance[user]; !seen {
				distance[user] = distance[queue[0]] + 1
				queue = append(queue, user)
			}
		}
	}
	return distance
}

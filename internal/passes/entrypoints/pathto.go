package entrypoints

import (
	"iter"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// reverse answers how entries reach functions, with the edges turned round.
type reverse struct {
	once  sync.Once
	users users

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
	for _, entry := range r.entriesIn(distance) {
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

// entriesIn returns the entries whose functions are in a set, in the order of all.
func (r *Result) entriesIn(fns map[*ssa.Function]int) []*Entry {
	if len(fns) >= len(r.Entries) {
		return slices.DeleteFunc(slices.Clone(r.Entries), func(e *Entry) bool {
			_, in := fns[e.Fn]
			return !in
		})
	}
	var found []*Entry
	for fn := range fns {
		found = append(found, r.byFn[fn]...)
	}
	slices.SortFunc(found, func(a, b *Entry) int { return a.index - b.index })
	return found
}

// Leading returns the entries from which one of the functions is reached in some way,
// in a goroutine of its own, too.
func (r *Result) Leading(fns iter.Seq[*ssa.Function]) []*Entry {
	return r.entriesIn(back(r.usersOf().all, fns))
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

// users are the functions that use a function, each as often as it does.
type users struct {
	waiting map[*ssa.Function][]*ssa.Function // those that go on when it has returned
	all     map[*ssa.Function][]*ssa.Function
}

func (r *Result) usersOf() users {
	r.reverse.once.Do(func() {
		u := users{waiting: make(map[*ssa.Function][]*ssa.Function), all: make(map[*ssa.Function][]*ssa.Function)}
		for from, edges := range r.edges {
			for i := range edges {
				callee := edges[i].Callee
				u.all[callee] = append(u.all[callee], from)
				if edges[i].How != Started {
					u.waiting[callee] = append(u.waiting[callee], from)
				}
			}
		}
		r.reverse.users = u
	})
	return r.reverse.users
}

// distances returns the functions from which fn is reached, with the least
// number of edges to it.
func (r *Result) distances(fn *ssa.Function) map[*ssa.Function]int {
	return back(r.usersOf().waiting, slices.Values([]*ssa.Function{fn}))
}

// back returns the functions from which one of some is reached, with the least
// number of edges to it.
func back(users map[*ssa.Function][]*ssa.Function, from iter.Seq[*ssa.Function]) map[*ssa.Function]int {
	distance := make(map[*ssa.Function]int)
	queue := slices.Collect(from)
	for _, fn := range queue {
		distance[fn] = 0
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, user := range users[queue[0]] {
			if _, seen := distance[user]; !seen {
				distance[user] = distance[queue[0]] + 1
				queue = append(queue, user)
			}
		}
	}
	return distance
}

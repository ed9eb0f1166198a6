package paths

import "sync"

// visited has the states that a search has been in. Most nodes are visited in one only, which
// is kept in a slice that one search after the other uses: there are hundreds of thousands of searches,
// and maps that grow anew in each of them were a tenth of what large packages took.
type visited struct {
	search uint32 // which one it is
	first  []firstVisit
	more   map[key]bool // states of nodes that have been visited before
}

// firstVisit is the first state that a node is visited in, if it is of the current search.
type firstVisit struct {
	search uint32
	key    key
}

var spareVisited = sync.Pool{New: func() any { return new(visited) }}

func newVisited(nodes int) *visited {
	v := spareVisited.Get().(*visited)
	if v.search++; len(v.first) < nodes || v.search == 0 {
		v.search, v.first = 1, make([]firstVisit, max(nodes, min(2*len(v.first), 1024)))
	}
	return v
}

func (v *visited) release() {
	v.more = nil
	spareVisited.Put(v)
}

func (v *visited) has(k key) bool {
	first := &v.first[k.node]
	return first.search == v.search && (first.key == k || v.more[k])
}

// add notes a state that has not been there.
func (v *visited) add(k key) {
	if first := &v.first[k.node]; first.search != v.search {
		*first = firstVisit{v.search, k}
		return
	}
	if v.more == nil {
		v.more = make(map[key]bool)
	}
	v.more[k] = true
}

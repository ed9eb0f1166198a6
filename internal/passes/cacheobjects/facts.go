package cacheobjects

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Summary is the fact on a function of the user's modules, and what the pass
// itself knows of one: what it writes to, and which of what it hands out
// belongs to a cache.
type Summary struct {
	// Params has an entry for each parameter, the receiver first.
	Params []Param
	// Results has the origins of each result.
	Results [][]Flow
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// String leaves out what is not told to other packages, such as where a write is in this run.
func (*Summary) String() string { return "cached" }

// Param is what a function does with one parameter.
type Param struct {
	// Writes lists what it writes to, reached from the parameter.
	Writes []Write
	// Gets lists what it stores where the parameter leads.
	Gets []Flow
	// Calls lists what it calls the parameter, a function, with.
	Calls []CallWith
	// Sets lists what it replaces, on all its paths, of what the parameter leads to.
	Sets []Set
}

// Set is memory that a function replaces: what was at the path from the parameter is
// not there any more.
type Set struct {
	Path string
	// ByCopy tells that a copy takes the place.
	ByCopy bool
}

// Write is a write to memory that is reached from a parameter.
type Write struct {
	// Path leads from the parameter to what is written.
	Path string
	// How is what the write does: one of kubeapi's Write… constants.
	How string
	// What is the expression that is written to, as the source has it.
	What string
	// Func is the function that writes, Place the file and line.
	Func, Place string
	// Impact is what it does to others.
	Impact Impact
	// Sent tells how a function on the way sends the object to the API server afterwards.
	Sent Sending
	// Asked is the parameter by which callers switch it on.
	Asked asked

	pos    token.Pos // if it is in this package
	direct bool      // whether the summarised function itself writes
}

// Sending is how an object is sent to the API server after a change.
type Sending struct {
	// By names the call; it is empty if there is none.
	By string
	// Always tells that it is sent whatever it holds, so that nobody takes an earlier change in
	// it for stored.
	Always bool
}

// Flow is where a value comes from.
type Flow struct {
	// Source tells that it is an object of a cache. What names the call that
	// returned it, Place is where that stands.
	Source      kubeapi.CacheSource
	What, Place string
	Doubtful    bool
	// If it is none, it is reached from parameter Param by the path Take; or,
	// if Called is set, it is what the function that the parameter is returns
	// as its result number Result.
	Param  int
	Take   string
	Called bool
	Result int
	// Put leads from the value to the object.
	Put string
	// Shallow tells that it is a copy that shares what the object refers to.
	Shallow bool
}

// CallWith is an argument of a call of a parameter.
type CallWith struct {
	Arg  int
	With Flow
}

func (f *Summary) isZero() bool {
	return !slices.ContainsFunc(f.Params, func(p Param) bool { return len(p.Writes)+len(p.Gets)+len(p.Calls)+len(p.Sets) > 0 }) &&
		!slices.ContainsFunc(f.Results, func(r []Flow) bool { return len(r) > 0 })
}

// Bounds of a summary's lists.
const (
	maxWrites = 8
	maxFlows  = 6
)

func appendNew[T comparable](list []T, entry T, limit int) []T {
	if len(list) >= limit || slices.Contains(list, entry) {
		return list
	}
	return append(list, entry)
}

// sortWrites puts the writes to maps first, then those that a function makes
// itself, then those that take the fewest steps, and of those to the same memory
// the worst, and of these the first in the source.
func sortWrites(ws []Write) []Write {
	slices.SortStableFunc(ws, func(a, b Write) int {
		return cmp.Or(compareBool(b.Impact == WritesMap, a.Impact == WritesMap), compareBool(b.direct, a.direct),
			cmp.Compare(path(a.Path).depth(), path(b.Path).depth()), cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path),
			cmp.Compare(b.Impact, a.Impact))
	})
	var found []Write
	for _, w := range ws {
		if len(found) < maxWrites && !slices.ContainsFunc(found, func(f Write) bool { return f.Path == w.Path && (f.Asked == 0 || f.Asked == w.Asked) }) {
			found = append(found, w)
		}
	}
	return found
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

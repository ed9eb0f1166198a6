package channels

import (
	"golang.org/x/tools/go/ssa"
)

// Runs is a fact about a function that runs functions which it is handed, each at most
// once and before it returns: the bit of each such parameter, the receiver counted, is set.
type Runs struct{ Once uint16 }

// AFact marks Runs as a fact.
func (*Runs) AFact() {}

// IsZero reports whether nothing is known.
func (r *Runs) IsZero() bool { return r.Once == 0 }

// exportRuns notes for other packages which functions that they can call run what they are
// handed once.
func (i *Channels) exportRuns() {
	for _, fn := range i.graph.Funcs {
		if !callable(fn) {
			continue
		}
		for at := range min(len(fn.Params), 16) {
			if how, ok := i.graph.RunsParam(fn, at); ok && !how.Again {
				i.runs.Note(fn).Once |= 1 << at
			}
		}
	}
	i.runs.Export()
}

// runsOnce reports whether a function of another package is known to run what it is handed as
// the index-th of its arguments, the receiver counted, at most once before it returns.
func (i *Channels) runsOnce(call ssa.CallInstruction, index int) bool {
	fact := i.runs.Elsewhere(call)
	return fact != nil && index < 16 && fact.Once&(1<<index) != 0
}

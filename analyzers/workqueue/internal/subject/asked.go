package subject

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Mistake is an operation on another queue than the item's own.
type Mistake struct {
	Verb   kubeapi.QueueVerb
	Instr  ssa.Instruction
	Worker *Worker
	Own    ssa.Value
}

// Blamed reports whether any worker of a queue does so.
func (c *Checker) Blamed(verb kubeapi.QueueVerb, queue ssa.Value) bool {
	return slices.ContainsFunc(c.Mistaken, func(m Mistake) bool { return m.Verb == verb && !c.Queues.Differ(m.Own, queue) })
}

// Handles reports whether a function deals with the queue itself: it is part of
// the worker.
func (c *Checker) Handles(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		for _, op := range c.Queues.At(instr) {
			if op.Verb == kubeapi.QueueDone || op.Verb == kubeapi.QueueForget {
				return true
			}
		}
	}
	return false
}

// Writes reports whether a function, or one that it calls, writes to the API
// server.
func (c *Checker) Writes(fn *ssa.Function, depth int, seen map[*ssa.Function]bool) bool {
	if seen[fn] || depth > 6 || len(seen) > 200 {
		return false
	}
	seen[fn] = true
	return slices.ContainsFunc(c.Entries.Edges(fn), func(edge entrypoints.Edge) bool { return c.Writes(edge.Callee, depth+1, seen) }) ||
		blocks.Any(fn, func(call ssa.CallInstruction) bool {
			op, ok := kubeapi.ClientOp(call.Common())
			return ok && !op.Verb.Reads()
		})
}

// Processes reports whether a function is one that does the work for an item,
// by its results: an error, and nothing that is computed.
func Processes(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	if fn.Parent() != nil || !kubeapi.CanFail(fn.Signature) {
		return false
	}
	for n := range results.Len() - 1 {
		if t := results.At(n).Type(); !kubeapi.IsBool(t) && kubeapi.ReconcileResult(t) == nil {
			return false
		}
	}
	return true
}

// EdgesTo has the ways by which a function is reached.
func (c *Checker) EdgesTo(fn *ssa.Function) []entrypoints.Edge {
	if c.reached == nil {
		c.reached = make(map[*ssa.Function][]entrypoints.Edge)
		for _, from := range c.Graph.Funcs {
			for _, edge := range c.Entries.Edges(from) {
				c.reached[edge.Callee] = append(c.reached[edge.Callee], edge)
			}
		}
	}
	return c.reached[fn]
}

// Ordinary reports whether an edge leads on with the event itself: not because
// of a failure, and not into a worker or what workers call.
func (c *Checker) Ordinary(_ *entrypoints.Path, edge *entrypoints.Edge) bool {
	if edge.How == entrypoints.Started || !queues.Ordinary(edge.Site) {
		return false
	}
	return !slices.ContainsFunc(c.Entries.Of(edge.Callee), func(entry *entrypoints.Entry) bool { return entry.Kind.PerItem() })
}

// OutOfSight reports whether something that is stored at addr can be found by
// others: it is no variable, and not the list of a variadic call's arguments.
func OutOfSight(addr ssa.Value) bool {
	of := addr
	switch addr := addr.(type) {
	case *ssa.FreeVar:
		return false
	case *ssa.IndexAddr:
		of = addr.X
	case *ssa.FieldAddr:
		of = addr.X
	}
	_, local := of.(*ssa.Alloc)
	return !local
}

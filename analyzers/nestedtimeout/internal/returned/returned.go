// Package returned finds functions that return a context which they have cancelled.
package returned

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Ended is a context that has ended when it is returned.
type Ended struct {
	Return *ssa.Return
	End    deadlines.End
}

// In returns the contexts that the function of a graph makes, cancels whichever way it takes,
// and returns along with no error.
func In(info *deadlines.Deadlines, g *paths.Graph) []Ended {
	var found []Ended
	for _, n := range g.Nodes {
		if !g.IsExit(n) {
			continue
		}
		ret := n.Instr.(*ssa.Return)
		for _, v := range ret.Results {
			if !kubeapi.IsContext(v.Type()) || fails(ret) {
				continue
			}
			made, ok := info.IDOf(v).(*ssa.Call)
			if !ok || made.Parent() != g.Fn {
				continue
			}
			ended := info.EndedAt(g, made)
			if ended == nil || !ended.Sure(n) {
				continue
			}
			if end := ended.Before(n); end != nil && end.How == deadlines.Cancelled && isMistaken(info, g, made, *end) {
				found = append(found, Ended{ret, *end})
			}
		}
	}
	return found
}

// isMistaken reports whether nobody can mean to return a context that has ended: its cancel is
// deferred, or it was given time.
func isMistaken(info *deadlines.Deadlines, g *paths.Graph, made *ssa.Call, end deadlines.End) bool {
	if _, timed := info.TimeoutAt(made); timed {
		return true
	}
	return slices.ContainsFunc(g.Nodes, func(n *paths.Node) bool {
		_, inDeferred := n.Frame.Call.(*ssa.Defer)
		return (n.Deferred || inDeferred) && slices.Contains(info.EndsAt(g, n), end)
	})
}

// fails reports whether a function may return an error, which says that the context is of no use.
func fails(ret *ssa.Return) bool {
	for _, v := range ret.Results {
		if !kubeapi.IsError(v.Type()) {
			continue
		}
		// A function with deferred calls keeps its results in variables.
		if load, ok := v.(*ssa.UnOp); ok {
			v = calls.StoredLast(load, load.X)
		}
		if v == nil || !calls.IsNil(v) {
			return true
		}
	}
	return false
}

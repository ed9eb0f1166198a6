package nestedtimeout

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// stopped reports informers and caches that are started with a context which
// is cancelled when the function returns, while what reads from them goes to
// the caller.
func (c *checker) stopped(fn *ssa.Function) {
	g := c.info.Graphs.Of(fn)
	if !c.cancelsAny(g) {
		return
	}
	results := deadlines.ResultVariables(fn)
	for _, n := range g.Nodes {
		call, recv, until := startsInformers(n)
		if call == nil || n.Frame.Fn != fn {
			continue
		}
		id := c.info.IDOf(until)
		if id == nil {
			continue
		}
		source := c.source(recv)
		const cancelled, inResult = 1, 2
		var end deadlines.End
		_, found := g.Search(n, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if c.info.Renews(n, id) {
				return stage, paths.Prune
			}
			for _, e := range c.info.EndsAt(g, n) {
				if e.ID == id && e.How == deadlines.Cancelled {
					end = e
					stage |= cancelled
				}
			}
			// A function with deferred calls keeps its results in variables.
			if store, ok := n.Instr.(*ssa.Store); ok && results[store.Addr] && !kubeapi.IsError(store.Val.Type()) {
				stage &^= inResult
				if c.readsFrom(store.Val, source, 0) {
					stage |= inResult
				}
			}
			if !g.IsExit(n) {
				return stage, paths.Continue
			}
			for _, v := range n.Instr.(*ssa.Return).Results {
				holds := stage&inResult != 0
				if load, ok := v.(*ssa.UnOp); !ok || !results[load.X] {
					holds = c.readsFrom(v, source, 0)
				}
				if holds && stage&cancelled != 0 && !kubeapi.IsError(v.Type()) {
					return stage, paths.Found
				}
			}
			return stage, paths.Prune
		})
		if !found {
			continue
		}
		pos, stop := c.span(call)
		c.report.Report(rule.Finding{
			Pos: pos, End: stop, Category: cancelledEarly,
			Message: fmt.Sprintf("what %s returns never sees a change: its informers are stopped on return (%s); start them with a context that lives as long as their readers",
				outermost(fn), c.at(end.Pos, pos)),
			Related: []analysis.RelatedInformation{{Pos: end.Pos, Message: "cancels the context"}},
		})
	}
}

// startsInformers recognises a node that starts an informer, a factory or a
// cache in the background, and returns it with the context or stop channel that
// stops it.
func startsInformers(n *paths.Node) (call ssa.CallInstruction, recv, until ssa.Value) {
	background := false
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		if n.Joins != nil {
			return nil, nil, nil
		}
		call = instr
	case *ssa.Go:
		call, background = instr, true
	default:
		return nil, nil, nil
	}
	w, ok := kubeapi.WaitCall(call.Common())
	if !ok || w.Poller || w.Synced {
		return nil, nil, nil
	}
	recv, _ = kubeapi.Args(call.Common())
	if recv == nil || !background && !kubeapi.HasMethod(recv.Type(), "WaitForCacheSync") {
		return nil, nil, nil // a factory's Start returns at once, all others run
	}
	return call, recv, w.Until
}

// source returns the value from which v was got by calling methods: the
// factory of an informer, the cluster of a client.
func (c *checker) source(v ssa.Value) ssa.Value {
	for range 12 {
		v = kubeapi.Unconverted(v)
		if load, ok := v.(*ssa.UnOp); ok {
			values := c.info.Variable(load)
			if len(values) != 1 {
				return v
			}
			v = values[0]
			continue
		}
		call, _ := calls.CallOf(v)
		if call == nil {
			return v
		}
		recv, _ := kubeapi.Args(call.Common())
		if recv == nil {
			return call
		}
		v = recv
	}
	return v
}

// readsFrom reports whether v was made from the source: by its methods, by
// functions that got what these return, or as a struct that holds such a value.
func (c *checker) readsFrom(v, source ssa.Value, depth int) bool {
	if depth > 4 {
		return false
	}
	at := c.source(v)
	if at == source {
		_, isParam := source.(*ssa.Parameter)
		return !isParam && isReader(v.Type())
	}
	switch at := at.(type) {
	case *ssa.Call:
		if !isReader(v.Type()) {
			return false
		}
		for _, arg := range at.Common().Args {
			if c.readsFrom(arg, source, depth+1) {
				return true
			}
		}
	case *ssa.Alloc:
		for field := range blocks.UsesOf[*ssa.FieldAddr](at) {
			for store := range blocks.Stores(field) {
				if c.readsFrom(store.Val, source, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// isReader reports whether a value of type t reads from an informer or cache
// whenever it is asked: a lister, an indexer, the informer itself. What was read
// is none.
func isReader(t types.Type) bool {
	if kubeapi.IsObject(t) {
		return false
	}
	return slices.ContainsFunc([]string{"HasSynced", "WaitForCacheSync", "Lister", "List", "GetByKey"}, func(method string) bool {
		return kubeapi.HasMethod(t, method)
	})
}

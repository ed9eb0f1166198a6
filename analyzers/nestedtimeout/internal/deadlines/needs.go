package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// needs finds the first operation on each parameter that fails if the
// parameter has ended: those that are reached without asking whether it has.
func (i *Deadlines) needs(fn *ssa.Function, g *paths.Graph, b *Behaviour) {
	for index, p := range fn.Params {
		if !kubeapi.IsContext(p.Type()) {
			continue
		}
		found := false
		walk(g, func(n *paths.Node) bool {
			if found || i.Checks(n, p) {
				return false
			}
			if use, ok := i.UseOf(n); ok && use.Ctx != nil && !use.Derives && i.Covers(use.Ctx, p) {
				need := Need{Param: index, What: use.What, Where: use.Where, Shuts: use.Shuts}
				if need.Where == "" {
					need.What, need.Where = calleeName(use.Call), i.Where(use.Call)
				}
				b.Needs = append(b.Needs, need)
				found = true
			}
			return !found
		})
	}
}

// walk visits the nodes of a graph once, the nearest to its beginning first, and those behind one
// if visit says so.
func walk(g *paths.Graph, visit func(*paths.Node) (further bool)) {
	seen := make([]bool, len(g.Nodes))
	queue := []*paths.Node{g.Entry}
	for n := 0; n < len(queue); n++ {
		if at := queue[n]; at != nil && !seen[at.Index()] {
			seen[at.Index()] = true
			if visit(at) {
				queue = append(queue, at.Succs...)
			}
		}
	}
}

// needsOf returns what a call of a function of the module needs contexts for. An interface's
// method needs those that all its implementations need that can be seen.
func (i *Deadlines) needsOf(call ssa.CallInstruction) []Need {
	if b := i.Of(call); b != nil {
		return b.Needs
	}
	var all []Need
	for n, method := range i.implementations(call.Common()) {
		needs := i.needsOfMethod(method)
		if n == 0 {
			all = slices.Clone(needs)
			continue
		}
		all = slices.DeleteFunc(all, func(need Need) bool {
			return !slices.ContainsFunc(needs, func(other Need) bool { return other.Param == need.Param })
		})
	}
	return all
}

// abstract is a method of an interface, as a call names them.
type abstract struct {
	recv   types.Type
	method *types.Func
}

// implementations is [calls.Graph.Visible], which is asked about each call many times.
func (i *Deadlines) implementations(call *ssa.CallCommon) []*types.Func {
	if !call.IsInvoke() || !kubeapi.TakesContext(call.Method.Signature()) {
		return nil
	}
	key := abstract{call.Value.Type(), call.Method}
	if known, ok := i.implemented.Load(key); ok {
		return known.([]*types.Func)
	}
	found := i.calls.Visible(call)
	i.implemented.Store(key, found)
	return found
}

// needsOfMethod returns what a method needs contexts for that is the module's, or promoted from
// another module.
func (i *Deadlines) needsOfMethod(method *types.Func) []Need {
	if !i.isOwn(method) {
		if recv := method.Signature().Recv(); !types.IsInterface(recv.Type()) && kubeapi.FailsWithoutContext(method) {
			return []Need{{Param: 1, What: method.Name()}}
		}
		return nil
	}
	if b := i.behaviour.OfObject(method); b != nil {
		return b.Needs
	}
	return nil
}

package updateunread

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// unseen reports whether an object is handed at a node to code of the module that cannot be
// followed to its end, which may take the resourceVersion of another one over: functions of
// other packages, of interfaces, and those that are many calls away.
func (c *checker) unseen(n *paths.Node, o paths.Object, depth int) bool {
	call := n.Call()
	if call == nil || n.Joins != nil {
		return false
	}
	if _, ok := c.ClientOp(call.Common()); ok {
		return false
	}
	if _, ok := c.DeletionOf(call.Common()); ok {
		return false
	}
	operands := kubeapi.Operands(call.Common())
	var at []int // among the operands
	for i, operand := range operands {
		if c.Resolve.Place(operand).Object == o {
			at = append(at, i)
		}
	}
	callee := kubeapi.Callee(call.Common())
	switch {
	case len(at) == 0, call.Common().IsInvoke() && slices.Equal(at, []int{0}): // a method of the object
		return false
	case callee == nil:
		return paths.Literal(c.Calls, call.Common().Value) == nil && !isBuiltin(call.Common()) && !comparesAt(n)
	case !c.Calls.SameModule(callee.Pkg()):
		return false // of a library, which is known or lets the object out of sight
	case call.Common().StaticCallee() != nil && c.Knows(callee) && callee.Pkg() != c.Calls.Pkg.Pkg && kubeapi.KindOfValue(operands[at[0]]) != nil:
		return false // what another package does to it is told
	}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) == 0 || depth == maxCalls {
		return true
	}
	return slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
		if len(fn.Blocks) == 0 || len(fn.Params) != len(operands) {
			return true
		}
		return slices.ContainsFunc(at, func(i int) bool { return c.unseenIn(fn, i, depth+1) })
	})
}

// unseenIn reports whether a function hands its index-th parameter on in that way.
func (c *checker) unseenIn(fn *ssa.Function, index, depth int) bool {
	o := c.Resolve.Place(fn.Params[index]).Object
	return slices.ContainsFunc(c.Unit(fn).Graph.Nodes, func(n *paths.Node) bool { return c.unseen(n, o, depth) })
}

// comparesAt reports whether a function that is kept in a variable is called, which takes
// two objects of one kind and says yes or no: it tells whether they are equal.
func comparesAt(n *paths.Node) bool {
	call := n.Call()
	if call == nil || kubeapi.Callee(call.Common()) != nil {
		return false
	}
	sig := call.Common().Signature()
	params, results := sig.Params(), sig.Results()
	return params.Len() == 2 && results.Len() == 1 && types.Identical(params.At(0).Type(), params.At(1).Type()) &&
		types.Identical(results.At(0).Type(), types.Typ[types.Bool])
}

func isBuiltin(common *ssa.CallCommon) bool {
	_, ok := common.Value.(*ssa.Builtin)
	return ok
}

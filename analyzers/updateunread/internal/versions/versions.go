// Package versions tells what may give an object a resourceVersion: a read, a creation, code
// that sets it, and code that cannot be followed.
package versions

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In answers for a package.
type In struct {
	*objects.Summaries
	strict bool
	// given tells of parameters whether they are given a resourceVersion.
	given map[*ssa.Parameter]bool
}

// New makes one. If it is strict, code that cannot be followed gives nothing.
func New(sums *objects.Summaries, strict bool) *In {
	return &In{sums, strict, make(map[*ssa.Parameter]bool)}
}

// maxCalls bounds how far calls are followed.
const maxCalls = 3

// At reports whether an object is created at a node, and whether it may get a
// resourceVersion there or out of sight.
func (c *In) At(u *objects.Unit, n *paths.Node, o paths.Object) (created, other bool) {
	if c.versioned(n, o) || c.versionedInside(n, o, 0) || !c.strict && c.unseen(n, o, 0) {
		return false, true
	}
	for _, e := range u.At(n) {
		if !c.MayBe(e.Place.Object, o) {
			continue
		}
		switch {
		case e.Kind == objects.Written && e.Write.Verb == kubeapi.Create && e.Via == nil:
			created = created || e.Write.InMemory // typed clients return another object
		case e.Kind == objects.Copied, e.Kind == objects.HandedOff && comparesAt(n):
		case (e.Kind == objects.Mutated || e.Kind == objects.HandedOff || e.Kind == objects.Touched) && !versions(n.Instr, e.Place.Sub):
		default:
			return created, true
		}
	}
	return created, false
}

// versions reports whether a change of a place may set the resourceVersion.
func versions(instr ssa.Instruction, path []string) bool {
	if len(path) == 0 || path[0] != kubeapi.MetadataPath {
		return len(path) == 0
	}
	if store, ok := instr.(*ssa.Store); ok && len(path) == 1 {
		return !literals.LeavesOut(store.Val, "ResourceVersion")
	}
	return len(path) == 1 || path[1] == "ResourceVersion"
}

// versioned reports whether a node gives the object a resourceVersion, alone or
// with all else that a text has.
func (c *In) versioned(n *paths.Node, o paths.Object) bool {
	if update, ok := n.Instr.(*ssa.MapUpdate); ok && n.Joins == nil {
		// obj.Object["metadata"].(map[string]any)["resourceVersion"] = …
		key, known := kubeapi.ConstString(kubeapi.Unboxed(update.Key))
		return known && key == "resourceVersion" && c.Resolve.Place(update.Map).Object.Root == o.Root
	}
	call := n.Call()
	if call == nil {
		return false
	}
	if nested, ok := kubeapi.NestedCallOf(call.Common()); ok && nested.Sets && nested.Known {
		key, known := kubeapi.ConstString(nested.Fields[len(nested.Fields)-1])
		return known && key == "resourceVersion" && c.Resolve.Place(nested.Content).Object.Root == o.Root
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return false
	}
	operands := kubeapi.Operands(call.Common())
	if kubeapi.IsMetaSetter(callee, "SetResourceVersion") && len(operands) > 0 {
		return c.MayBe(c.Resolve.Place(operands[0]).Object, o)
	}
	return c.Decodes(n, o)
}

// versionedInside reports whether a function of the package that is called at a node gives
// the object a resourceVersion, or one that this calls in turn.
func (c *In) versionedInside(n *paths.Node, o paths.Object, depth int) bool {
	call := n.Call()
	if call == nil || depth == maxCalls {
		return false
	}
	operands := kubeapi.Operands(call.Common())
	for _, target := range c.Calls.Callees(call).Funcs {
		if len(target.Blocks) == 0 || len(target.Params) != len(operands) {
			continue
		}
		for i, operand := range operands {
			if c.MayBe(c.Resolve.Place(operand).Object, o) && c.versions(target.Params[i], depth+1) {
				return true
			}
		}
	}
	return false
}

// versions reports whether the function of a parameter gives what it is handed a
// resourceVersion.
func (c *In) versions(param *ssa.Parameter, depth int) bool {
	if known, ok := c.given[param]; ok {
		return known
	}
	c.given[param] = false
	o := c.Resolve.Place(param).Object
	found := slices.ContainsFunc(c.Unit(param.Parent()).Graph.Nodes, func(n *paths.Node) bool {
		return c.versioned(n, o) || c.versionedInside(n, o, depth)
	})
	c.given[param] = found
	return found
}

// unseen reports whether an object is handed at a node to code of the module that cannot be
// followed to its end, which may take the resourceVersion of another one over: functions of
// other packages, of interfaces, and those that are many calls away.
func (c *In) unseen(n *paths.Node, o paths.Object, depth int) bool {
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
		return paths.Literal(c.Calls, call.Common().Value) == nil && !isBuiltin(call) && !comparesAt(n)
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
func (c *In) unseenIn(fn *ssa.Function, index, depth int) bool {
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

func isBuiltin(call ssa.CallInstruction) bool {
	_, ok := call.Common().Value.(*ssa.Builtin)
	return ok
}

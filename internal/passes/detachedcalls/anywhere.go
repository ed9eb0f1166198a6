package detachedcalls

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// fromAnywhere reports whether a context comes from callers that nobody knows, be it
// that the methods which these call hand it on.
func (c *computer) fromAnywhere(p *ssa.Parameter, depth int) bool {
	fn := p.Parent()
	if c.calledFromAnywhere(fn) {
		return true
	}
	edges, index := c.into[fn], slices.Index(fn.Params, p)
	if len(edges) == 0 || index < 0 || depth > maxDepth || len(c.entries.Of(fn)) > 0 {
		return false
	}
	return !slices.ContainsFunc(edges, func(edge entrypoints.Edge) bool {
		handed, ok := c.handed(edge, fn, index).(*ssa.Parameter)
		return !ok || !c.fromAnywhere(handed, depth+1)
	})
}

// calledFromAnywhere reports whether nobody is seen to call a method, and it
// implements one of an interface of the module's that is declared elsewhere: what
// calls it may lie in any package, and make the context up. The methods of gRPC
// servers get theirs from the connection.
func (c *computer) calledFromAnywhere(fn *ssa.Function) bool {
	method, ok := fn.Object().(*types.Func)
	if !ok || method.Signature().Recv() == nil || len(c.into[fn]) > 0 || len(c.entries.Of(fn)) > 0 {
		return false
	}
	recv := method.Signature().Recv().Type()
	for _, imported := range c.pass.Pkg.Imports() {
		if !c.graph.SameModule(imported) || slices.ContainsFunc(imported.Imports(), isGRPC) {
			continue
		}
		for _, name := range imported.Scope().Names() {
			if iface := interfaceWith(imported.Scope().Lookup(name), method.Name()); iface != nil && types.Implements(recv, iface) {
				return true
			}
		}
	}
	return false
}

// interfaceWith returns the interface that a type's name stands for, if it has a
// method of that name and no type parameters.
func interfaceWith(obj types.Object, method string) *types.Interface {
	name, ok := obj.(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := types.Unalias(name.Type()).(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return nil
	}
	iface, ok := named.Underlying().(*types.Interface)
	if !ok || !kubeapi.HasMethod(named, method) {
		return nil
	}
	return iface
}

func isGRPC(pkg *types.Package) bool { return pkg.Path() == "google.golang.org/grpc" }

package calls

import (
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Visible returns the methods of the module's types that a call of a method of one of its
// interfaces may run, as far as can be seen from here: those of this package, of the packages
// that it imports, and of the interface's own. They may be promoted, also from another module
// or from an interface; other types may be where nobody can see them.
func (g *Graph) Visible(call *ssa.CallCommon) []*types.Func {
	if !call.IsInvoke() || g.Pkg == nil || call.Method.Pkg() == nil || !g.SameModule(call.Method.Pkg()) {
		return nil
	}
	iface, ok := call.Value.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return nil
	}
	packages := append([]*types.Package{g.Pkg.Pkg}, g.Pkg.Pkg.Imports()...)
	if own := call.Method.Pkg(); !slices.Contains(packages, own) {
		packages = append(packages, own)
	}
	var found []*types.Func
	for _, pkg := range packages {
		if !g.SameModule(pkg) {
			continue
		}
		var implementors []types.Type
		if pkg == g.Pkg.Pkg {
			implementors = g.implementations(iface)
		} else {
			implementors = Implementing(pkg, iface)
		}
		for _, t := range implementors {
			obj, _, _ := types.LookupFieldOrMethod(t, true, call.Method.Pkg(), call.Method.Name())
			method, ok := obj.(*types.Func)
			if !ok {
				return nil
			}
			found = append(found, method.Origin())
		}
	}
	return found
}

// Implementing returns pointers to the types of a package that have the methods of an
// interface.
func Implementing(pkg *types.Package, iface *types.Interface) []types.Type {
	var found []types.Type
	for named := range declared(pkg) {
		if types.IsInterface(named) || named.TypeParams().Len() > 0 {
			continue
		}
		if ptr := types.NewPointer(named); types.Implements(ptr, iface) {
			found = append(found, ptr)
		}
	}
	return found
}

// declared yields the types that a package declares.
func declared(pkg *types.Package) iter.Seq[*types.Named] {
	return func(yield func(*types.Named) bool) {
		for _, name := range pkg.Scope().Names() {
			tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
			if !ok || tn.IsAlias() {
				continue
			}
			if named, ok := tn.Type().(*types.Named); ok && !yield(named) {
				return
			}
		}
	}
}

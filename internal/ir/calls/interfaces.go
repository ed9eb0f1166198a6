package calls

import (
	"go/types"
)

// Represented calls yield for each method of the package's interfaces that has
// one implementation here, with the method that implements it: what is said of
// the one holds for calls of the other.
func (g *Graph) Represented(yield func(abstract, implementation *types.Func)) {
	scope := g.Pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() {
			continue
		}
		iface, ok := tn.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for m := range iface.ExplicitMethods() {
			for _, fn := range g.Implementation(tn.Type(), m).Funcs {
				if obj, ok := fn.Object().(*types.Func); ok {
					yield(m, obj)
				}
			}
		}
	}
}

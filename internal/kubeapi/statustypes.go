package kubeapi

import "go/types"

// IsOnlyInStatus reports whether a struct is a part of the status of kinds, and of nothing
// else that the kinds of its package have.
func IsOnlyInStatus(t types.Type) bool {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil {
		return false
	}
	if IsNamed(named, metav1Path, "Condition") {
		return true
	}
	isThis := func(t types.Type) bool { return t == named }
	isForeign := func(t types.Type) bool {
		other, ok := t.(*types.Named)
		return ok && other.Obj().Pkg() != named.Obj().Pkg()
	}
	scope := named.Obj().Pkg().Scope()
	found := false
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		kind := KindOf(tn.Type())
		if kind == nil {
			continue
		}
		status := StatusField(kind)
		for field := range kind.Underlying().(*types.Struct).Fields() {
			if !HasPart(field.Type(), isThis, isForeign) {
				continue
			}
			if field != status {
				return false
			}
			found = true
		}
	}
	return found
}

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
			if !hasPart(field.Type(), named, make(map[types.Type]bool)) {
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

// hasPart reports whether values of a type have parts of another one of the same package.
func hasPart(t types.Type, part *types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := t.(*types.Named); ok {
		if named == part {
			return true
		}
		if named.Obj().Pkg() != part.Obj().Pkg() {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return hasPart(u.Elem(), part, seen)
	case *types.Slice:
		return hasPart(u.Elem(), part, seen)
	case *types.Array:
		return hasPart(u.Elem(), part, seen)
	case *types.Map:
		return hasPart(u.Elem(), part, seen)
	case *types.Struct:
		for field := range u.Fields() {
			if hasPart(field.Type(), part, seen) {
				return true
			}
		}
	}
	return false
}

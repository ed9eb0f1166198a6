package calls

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// HolderOf returns the field or package-level variable at an address, or nil.
func HolderOf(addr ssa.Value) types.Object {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if field := FieldOf(addr.X.Type(), addr.Field); field != nil {
			return field
		}
	case *ssa.Global:
		if obj := addr.Object(); obj != nil {
			return obj
		}
	}
	return nil
}

// FieldAt returns the field that a value is, or is the address of; nil if it is none.
func FieldAt(v ssa.Value) *types.Var {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return FieldOf(v.X.Type(), v.Field)
	case *ssa.Field:
		return FieldOf(v.X.Type(), v.Field)
	}
	return nil
}

// Loaded returns the field or package-level variable that a value was loaded from, or
// nil.
func Loaded(v ssa.Value) types.Object {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return HolderOf(v.X)
		}
	case *ssa.Field:
		if field := FieldOf(v.X.Type(), v.Field); field != nil {
			return field
		}
	}
	return nil
}

// ElementOf returns the list or map that a value is an element of, also in a loop over
// it; nil if it is none.
func ElementOf(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.Lookup:
		return v.X
	case *ssa.Index:
		return v.X
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.IndexAddr); ok && v.Op == token.MUL {
			return at.X
		}
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			if v.Index == 0 {
				return tuple.X
			}
		case *ssa.Next:
			if loop, ok := tuple.Iter.(*ssa.Range); ok && v.Index == 2 {
				return loop.X
			}
		}
	}
	return nil
}

// LoadedField returns the field that a value was loaded from, or nil.
func LoadedField(v ssa.Value) *types.Var {
	if t, index := LoadedFrom(v); t != nil {
		return FieldOf(t, index)
	}
	return nil
}

// FieldsBeside returns the fields of the struct that a value was loaded from, but for its own.
func FieldsBeside(v ssa.Value) (beside []*types.Var) {
	t, index := LoadedFrom(v)
	if t == nil {
		return nil
	}
	for i := 0; ; i++ {
		field := FieldOf(t, i)
		if field == nil {
			return beside
		}
		if i != index {
			beside = append(beside, field)
		}
	}
}

// LoadedFrom returns the struct, or a pointer to it, that a value was loaded from, and the number of the field; nil
// if there is none.
func LoadedFrom(v ssa.Value) (types.Type, int) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if addr, ok := v.X.(*ssa.FieldAddr); ok {
			return addr.X.Type(), addr.Field
		}
	case *ssa.Field:
		return v.X.Type(), v.Field
	}
	return nil, 0
}

// Params are the parameters of a function without its receiver.
func Params(fn *ssa.Function) []*ssa.Parameter {
	if fn.Signature.Recv() != nil && len(fn.Params) > 0 {
		return fn.Params[1:]
	}
	return fn.Params
}

// IsReceiver reports whether a parameter is its method's receiver.
func IsReceiver(p *ssa.Parameter) bool {
	fn := p.Parent()
	return fn.Signature.Recv() != nil && len(fn.Params) > 0 && fn.Params[0] == p
}

// DeclaredIn returns the named struct of a package that declares a field, or nil.
func DeclaredIn(pkg *types.Package, field *types.Var) *types.Named {
	for named := range declared(pkg) {
		st, ok := named.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for candidate := range st.Fields() {
			if candidate.Origin() == field {
				return named
			}
		}
	}
	return nil
}

// SameRead reports whether two values are reads of one variable, or of one field of it.
func SameRead(a, b ssa.Value) bool {
	x, ok := a.(*ssa.UnOp)
	y, also := b.(*ssa.UnOp)
	if !ok || !also || x.Op != token.MUL || y.Op != token.MUL {
		return false
	}
	if x.X == y.X {
		return true
	}
	f, ok := x.X.(*ssa.FieldAddr)
	g, also := y.X.(*ssa.FieldAddr)
	return ok && also && f.Field == g.Field && f.X == g.X
}

// InGoroutine reports whether a function, or one around it, runs in a goroutine of its
// own: it keeps nobody waiting.
func (g *Graph) InGoroutine(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, call := range g.Callers(fn) {
			if _, ok := call.(*ssa.Go); ok {
				return true
			}
		}
	}
	return false
}

package repetitions

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// seldom reports whether an instruction runs only where something has failed, or
// as long as a field of an API object says so which the package sets: not each
// time that its function does.
func (u *Unit) seldom(at ssa.Instruction) bool {
	for branch, held := range blocks.Decided(at.Block()) {
		cond, yes := values.Asked(branch.Cond, held)
		if cmp, ok := cond.(*ssa.BinOp); ok {
			if err, failed := calls.Failure(cmp, yes); err != nil && failed || u.isPhase(cmp, yes) {
				return true
			}
		}
	}
	return false
}

// isPhase reports whether a comparison, with that outcome, says that a field of
// an API object has a certain value, and the package sets that field.
func (u *Unit) isPhase(cmp *ssa.BinOp, yes bool) bool {
	if yes != (cmp.Op == token.EQL) || cmp.Op != token.EQL && cmp.Op != token.NEQ {
		return false
	}
	for _, sides := range [][2]ssa.Value{{cmp.X, cmp.Y}, {cmp.Y, cmp.X}} {
		if _, isConst := sides[1].(*ssa.Const); !isConst {
			continue
		}
		if load, ok := sides[0].(*ssa.UnOp); ok && load.Op == token.MUL {
			if addr, ok := load.X.(*ssa.FieldAddr); ok && inObject(addr) && len(u.Graph.Stores(calls.HolderOf(addr))) > 0 {
				return true
			}
		}
	}
	return false
}

// inObject reports whether a field lies in an API object.
func inObject(addr *ssa.FieldAddr) bool {
	for v := ssa.Value(addr); ; {
		field, ok := v.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		if kubeapi.KindOf(field.X.Type()) != nil {
			return true
		}
		v = field.X
	}
}

// IsKept reports whether a function is not called by its name, but kept: in a
// map, a list or a field of constructors, which set-up code goes over.
func (u *Unit) IsKept(fn *ssa.Function) bool {
	if len(u.Graph.Callers(fn)) > 0 {
		return false
	}
	return slices.ContainsFunc(append(u.Graph.All(), u.Graph.Pkg.Func("init")), func(other *ssa.Function) bool {
		return other != nil && blocks.Any(other, func(instr ssa.Instruction) bool {
			switch instr := instr.(type) {
			case *ssa.MapUpdate:
				return isFunc(instr.Value, fn)
			case *ssa.Store:
				return isFunc(instr.Val, fn)
			}
			return false
		})
	})
}

func isFunc(v ssa.Value, fn *ssa.Function) bool {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	return v == ssa.Value(fn)
}

// IsForTests reports whether a function is a method of a type that nothing in the
// package makes and nobody else can: tests do.
func (u *Unit) IsForTests(fn *ssa.Function) bool {
	recv := paths.Outermost(fn).Signature.Recv()
	if recv == nil {
		return false
	}
	named := kubeapi.Named(recv.Type())
	if named == nil || named.Obj().Exported() || named.TypeParams().Len() > 0 || named.Obj().Pkg() != u.Pass.Pkg {
		return false
	}
	if _, isStruct := named.Underlying().(*types.Struct); !isStruct {
		return false
	}
	known, ok := u.Unmade[named]
	if !ok {
		known = !u.isMade(named)
		u.Unmade[named] = known
	}
	return known
}

// isMade reports whether the package makes a value of a struct type: by itself
// or as a part of something else.
func (u *Unit) isMade(named *types.Named) bool {
	scope := u.Pass.Pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if _, isVar := obj.(*types.Var); isVar && contains(obj.Type(), named, 0) {
			return true
		}
		if t, ok := obj.(*types.TypeName); ok && t.Type() != named && contains(t.Type().Underlying(), named, 0) {
			return true
		}
	}
	for _, fn := range u.Graph.All() {
		for v := range blocks.InstrsOf[ssa.Value](fn) {
			switch v := v.(type) {
			case *ssa.MakeInterface:
				if contains(kubeapi.Deref(v.X.Type()), named, 0) {
					return true // a struct without fields is a constant
				}
			case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
				if contains(kubeapi.Deref(v.Type()), named, 0) {
					return true
				}
			}
		}
	}
	return false
}

// contains reports whether a value of type t has one of a named type in it, or
// may come to have one.
func contains(t types.Type, named *types.Named, depth int) bool {
	if types.Identical(t, named) || depth > 4 {
		return true
	}
	switch t := t.(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if contains(field.Type(), named, depth+1) {
				return true
			}
		}
	case *types.Slice, *types.Array, *types.Map, *types.Chan:
		return contains(t.(interface{ Elem() types.Type }).Elem(), named, depth+1)
	}
	return false
}

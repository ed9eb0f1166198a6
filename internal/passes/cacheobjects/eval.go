package cacheobjects

import (
	"go/token"
	"go/types"

	"github.com/opvet/opvet/internal/ir/calls"
	"golang.org/x/tools/go/ssa"
)

// eval is what a value is by its operands; calls, merges and variables are
// dealt with elsewhere.
func eval(v ssa.Value, get func(ssa.Value) []origin) []origin {
	// A switch of its own: each kind changes the path by which shared memory is reached, which is what is computed here.
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return get(v.X)
	case *ssa.ChangeType:
		return get(v.X)
	case *ssa.MakeInterface:
		step := typeStep(v.X.Type())
		return each(get(v.X), func(o origin) (origin, bool) {
			o.dyn = step
			return o, true
		})
	case *ssa.SliceToArrayPointer:
		return get(v.X)
	case *ssa.TypeAssert: // of a tuple, its first part
		if types.IsInterface(v.AssertedType) {
			return get(v.X)
		}
		step := typeStep(v.AssertedType)
		return each(get(v.X), func(o origin) (origin, bool) { return o.assert(step) })
	case *ssa.Convert:
		if _, basic := v.X.Type().Underlying().(*types.Basic); basic {
			return nil
		}
		return get(v.X)
	case *ssa.Slice:
		list := get(v.X)
		if v.High != nil && v.Max == nil && calls.LengthOf(v.High) != v.X {
			list = each(list, func(o origin) (origin, bool) {
				o.short = o.put == ""
				return o, true
			})
		}
		if v.Max != nil && v.Max == v.High {
			// Full: an append makes a new array.
			list = each(list, func(o origin) (origin, bool) {
				if o.put == "" {
					o.put, o.shallow = follow, true
				}
				return o, true
			})
		}
		return list
	case *ssa.FieldAddr:
		return fieldOf(get(v.X), v.X.Type(), v.Field)
	case *ssa.Field:
		return fieldOf(get(v.X), v.X.Type(), v.Field)
	case *ssa.IndexAddr:
		return each(get(v.X), func(o origin) (origin, bool) { return o.elementAt(v.Index) })
	case *ssa.Index:
		return each(get(v.X), func(o origin) (origin, bool) { return o.elementAt(v.Index) })
	case *ssa.Lookup:
		return elements(get(v.X))
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		list := each(get(v.X), origin.load)
		if !isStruct(v.Type()) {
			for i := range list {
				list[i].except = ""
			}
		}
		return list
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.TypeAssert, *ssa.Lookup:
			if v.Index == 0 {
				return get(tuple)
			}
		case *ssa.Next:
			if iter, ok := tuple.Iter.(*ssa.Range); ok && v.Index > 0 {
				return elements(each(get(iter.X), func(o origin) (origin, bool) { return o, !o.isKeyOf(tuple) }))
			}
		}
	}
	return nil
}

func fieldOf(list []origin, t types.Type, index int) []origin {
	name, private := fieldName(t, index), isPrivate(t, index)
	return each(list, func(o origin) (origin, bool) {
		if private && o.put == "" {
			return o, false
		}
		return o.field(name)
	})
}

// elements is the origins of the elements of a slice or map.
func elements(list []origin) []origin {
	return each(list, func(o origin) (origin, bool) {
		o, ok := o.field(element)
		if !ok {
			return o, false
		}
		return o.load()
	})
}

// isStruct reports whether a value of type t has its parts in itself.
func isStruct(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

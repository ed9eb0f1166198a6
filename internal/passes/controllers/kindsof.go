package controllers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/managers"
)

// maxDepth bounds how far values are followed.
const maxDepth = 8

// object is a kind that a value may be, with its Go type if it has one.
type object struct {
	Kind
	named *types.Named
}

// objectsOf returns the kinds of the objects that v may be; one that is not known
// among them if there may be others. Parameters are what the package's callers
// hand over.
func (f *finder) objectsOf(v ssa.Value) []object {
	var found []object
	add := func(o object) {
		for _, have := range found {
			if have == o {
				return
			}
		}
		found = append(found, o)
	}
	f.eachObject(v, make(map[ssa.Value]bool), 0, add)
	if len(found) == 0 {
		add(object{})
	}
	return found
}

// kindOf returns the one kind that v is, or none.
func (f *finder) kindOf(v ssa.Value) object {
	if v == nil {
		return object{}
	}
	if found := f.objectsOf(v); len(found) == 1 {
		return found[0]
	}
	return object{}
}

// ofType tells the kind of an object, or of the elements of a list, by its type.
func ofType(t types.Type) (object, bool) {
	if kind := kubeapi.KindOf(t); kind != nil && !kubeapi.IsPartialMetadata(t) {
		return object{Kind{kubeapi.KindID(kind), Typed}, kind}, true
	}
	if kind := kubeapi.ListElem(t); kind != nil && !kubeapi.IsPartialMetadata(t) {
		return object{Kind{kubeapi.KindID(kind), Typed}, kind}, true
	}
	return object{}, false
}

func (f *finder) eachObject(v ssa.Value, seen map[ssa.Value]bool, depth int, add func(object)) {
	if seen[v] {
		return
	}
	seen[v] = true
	if depth > maxDepth {
		add(object{})
		return
	}
	for x := kubeapi.Converted(v); x != nil; x = kubeapi.Converted(v) {
		v = x
	}
	if o, ok := ofType(v.Type()); ok {
		add(o)
		return
	}
	switch form := untypedForm(v.Type()); form {
	case "":
	default:
		behind := calls.Behind(v)
		add(object{Kind: Kind{managers.UntypedKind(f.read, behind), form}})
		return
	}
	all := func(values []ssa.Value, closed bool) {
		for _, v := range values {
			f.eachObject(v, seen, depth+1, add)
		}
		if !closed || len(values) == 0 {
			add(object{})
		}
	}
	switch v := v.(type) {
	case *ssa.Phi:
		all(v.Edges, true)
	case *ssa.Parameter:
		all(f.calls.HandedOver(v))
	case *ssa.UnOp:
		if v.Op != token.MUL {
			add(object{})
			return
		}
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			all(calls.StoredInto(addr), true)
		case *ssa.FreeVar:
			if binding := f.calls.Binding(addr); binding != nil {
				if alloc, ok := binding.(*ssa.Alloc); ok {
					all(calls.StoredInto(alloc), true)
					return
				}
			}
			add(object{})
		case *ssa.IndexAddr:
			all(f.read.Elements(addr.X))
		default:
			add(object{})
		}
	case *ssa.FreeVar:
		if binding := f.calls.Binding(v); binding != nil {
			f.eachObject(binding, seen, depth+1, add)
			return
		}
		add(object{})
	case *ssa.Call:
		all(f.results(v, 0))
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			all(f.results(call, v.Index))
			return
		}
		add(object{})
	default:
		add(object{})
	}
}

func untypedForm(t types.Type) Form {
	switch {
	case kubeapi.IsUnstructured(t), kubeapi.IsUnstructuredList(t):
		return Unstructured
	case kubeapi.IsPartialMetadata(t):
		return Metadata
	}
	return ""
}

// results returns what the functions return that a call may run.
func (f *finder) results(call *ssa.Call, index int) (values []ssa.Value, closed bool) {
	values, closed = f.calls.Results(call, index)
	return slices.DeleteFunc(values, isZeroConst), closed
}

func isZeroConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil
}

package controllers

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
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
		if !slices.Contains(found, o) {
			found = append(found, o)
		}
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
	kind := cmp.Or(kubeapi.KindOf(t), kubeapi.ListElem(t))
	if kind == nil || kubeapi.IsPartialMetadata(t) {
		return object{}, false
	}
	return object{Kind{kubeapi.KindID(kind), Typed}, kind}, true
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
	v = kubeapi.Unconverted(v)
	if o, ok := ofType(v.Type()); ok {
		add(o)
		return
	}
	if form := untypedForm(v.Type()); form != "" {
		add(object{Kind: Kind{managers.UntypedKind(f.read, calls.Behind(v)), form}})
		return
	}
	from, closed := f.objectsFrom(v)
	for _, v := range from {
		f.eachObject(v, seen, depth+1, add)
	}
	if !closed || len(from) == 0 {
		add(object{})
	}
}

// objectsFrom returns what an object may be; closed tells that it is nothing else.
func (f *finder) objectsFrom(v ssa.Value) (from []ssa.Value, closed bool) {
	if call, index := calls.CallOf(v); call != nil {
		return f.results(call, index)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return f.calls.HandedOver(v)
	case *ssa.UnOp:
		if element, ok := v.X.(*ssa.IndexAddr); ok && v.Op == token.MUL {
			return f.read.Elements(element.X)
		}
	}
	return values.Relation{Calls: f.calls, Steps: values.Local}.Sources(v)
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

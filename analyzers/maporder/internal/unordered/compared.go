package unordered

import (
	"go/types"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// lists are the types of lists that a package compares by functions of its own. Whoever
// writes one has thought about what makes two lists the same: it sorts copies, or looks
// for each element in the other list. Those of plain values are compared in their order
// as a rule.
type lists []types.Type

// comparedLists finds the functions and literals that take two lists of structs and say
// whether something holds of them, such as those that cmp.Comparer is given.
func comparedLists(graph *calls.Graph) lists {
	var found lists
	for _, fn := range graph.All() {
		sig := fn.Signature
		if sig.Results().Len() == 0 || !kubeapi.IsBool(sig.Results().At(0).Type()) {
			continue
		}
		params := fn.Params
		if sig.Recv() != nil && len(params) > 0 {
			params = params[1:]
		}
		if len(params) != 2 || !types.Identical(params[0].Type(), params[1].Type()) {
			continue
		}
		t := params[0].Type()
		if slice, ok := t.Underlying().(*types.Slice); ok && isStruct(slice.Elem()) {
			found = append(found, t)
		}
	}
	return found
}

func (l lists) has(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	for _, other := range l {
		if types.Identical(other.Underlying(), t.Underlying()) {
			return true
		}
	}
	return false
}

func isStruct(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

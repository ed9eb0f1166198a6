package unordered

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Compared is the package fact of the lists that this package compares by functions of its own,
// as [listName] has them.
type Compared struct{ Lists []string }

// AFact marks a fact on a package.
func (*Compared) AFact() {}

// lists are those that a package compares by functions of its own, or one that it imports.
// Whoever writes one has thought about what makes two lists the same: it sorts copies, or looks
// for each element in the other list. Those of plain values are compared in their order
// as a rule.
type lists map[string]bool

// comparedLists finds the functions and literals that take two lists of structs and say
// whether something holds of them, such as those that cmp.Comparer is given.
func comparedLists(pass *analysis.Pass, graph *calls.Graph) lists {
	own := make(lists)
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
		if name := listName(params[0].Type()); name != "" {
			own[name] = true
		}
	}
	if len(own) > 0 {
		pass.ExportPackageFact(&Compared{slices.Sorted(maps.Keys(own))})
	}
	for _, elsewhere := range facts.OfPackages[*Compared](pass) {
		for _, name := range elsewhere.Lists {
			own[name] = true
		}
	}
	return own
}

// listName names the elements of a list of structs, or is empty.
func listName(t types.Type) string {
	slice, ok := kubeapi.Deref(t).Underlying().(*types.Slice)
	if !ok || !isStruct(slice.Elem()) {
		return ""
	}
	return types.TypeString(slice.Elem(), nil)
}

func isStruct(t types.Type) bool {
	_, ok := kubeapi.Deref(t).Underlying().(*types.Struct)
	return ok
}

// isComparedAsSet reports whether a list is stored only where a function of the package
// has compared it, whatever the order: another order alone writes nothing.
func (f *Flow) isComparedAsSet(list ssa.Value, store *ssa.Store) bool {
	for branch := range blocks.Decided(store.Block()) {
		cond, _ := values.Asked(branch.Cond, true)
		call, ok := cond.(*ssa.Call)
		if !ok || !slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool { return f.graph.Origin(arg) == f.graph.Origin(list) }) {
			continue
		}
		if targets := f.graph.Callees(call); targets.Closed && len(targets.Funcs) == 1 && comparesSets(targets.Funcs[0]) {
			return true
		}
	}
	return false
}

// comparesSets reports whether a function takes two lists of one type and looks for the
// elements of one in a map of the other.
func comparesSets(fn *ssa.Function) bool {
	if len(fn.Params) < 2 || fn.Signature.Results().Len() != 1 || !kubeapi.IsBool(fn.Signature.Results().At(0).Type()) {
		return false
	}
	last := len(fn.Params) - 1
	list := fn.Params[last].Type()
	if _, ok := list.Underlying().(*types.Slice); !ok || !types.Identical(list, fn.Params[last-1].Type()) {
		return false
	}
	filled := make(map[ssa.Value]bool)
	for update := range blocks.InstrsOf[*ssa.MapUpdate](fn) {
		filled[update.Map] = true
	}
	return blocks.Any(fn, func(lookup *ssa.Lookup) bool { return filled[lookup.X] })
}

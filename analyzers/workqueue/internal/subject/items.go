package subject

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// items are the values that are an item which was taken off a queue, in the
// worker and in the functions that it hands the item to.
type items struct {
	values map[ssa.Value]bool
	// params are the functions that take it, with the calls.
	Calls []Handover
}

// Handover is a call that hands the item to a function of the package.
type Handover struct {
	Site   ssa.CallInstruction
	Target *ssa.Function
	param  *ssa.Parameter
}

func (c *Checker) follow(first []ssa.Value) *items {
	it := new(items)
	of := values.Relation{Calls: c.Graph, Steps: values.Same | values.Merged | values.Held, Onward: func(v ssa.Value, use ssa.Instruction) []ssa.Value {
		switch use := use.(type) {
		case *ssa.Return:
			return c.Graph.ReturnedAs(v)
		case ssa.CallInstruction:
			return it.handOver(c.Graph, v, use)
		}
		return nil
	}}
	it.values = of.Names(first...)
	return it
}

// handOver notes a call that hands the item v to functions of the package, and returns
// what these call it.
func (it *items) handOver(graph *calls.Graph, v ssa.Value, call ssa.CallInstruction) []ssa.Value {
	var params []ssa.Value
	for _, target := range graph.Callees(call).Funcs {
		for n, arg := range kubeapi.Operands(call.Common()) {
			if arg == v && n < len(target.Params) {
				it.Calls = append(it.Calls, Handover{call, target, target.Params[n]})
				params = append(params, target.Params[n])
			}
		}
	}
	return params
}

// Has reports whether v is the item.
func (it *items) Has(v ssa.Value) bool { return v != nil && it.values[v] }

// IsPart reports whether v surely is something else than the item: a field of
// it, of another type.
func (it *items) IsPart(v ssa.Value) bool {
	switch x := kubeapi.Unboxed(v).(type) {
	case *ssa.Field:
		return it.Has(x.X)
	case *ssa.UnOp:
		if addr, ok := x.X.(*ssa.FieldAddr); ok && x.Op == token.MUL {
			// Or a field of a struct that was copied into a variable.
			stored := values.Stored(addr.X)
			return it.Has(addr.X) || len(stored) > 0 && !slices.ContainsFunc(stored, func(v ssa.Value) bool { return !it.Has(v) })
		}
	}
	return false
}

// absent are the values that are nil where Get has returned no item, and the
// comparisons that are true there: with nil, with the empty string, with the
// zero value of a struct. first is what Get returns; what is asserted or merged
// may be nil for other reasons.
func absent(first []ssa.Value) (nils, asked []ssa.Value) {
	all := slices.Clone(first)
	for _, v := range first {
		for store := range blocks.UsesOf[*ssa.Store](v) {
			if store.Val == v && len(values.Stored(store.Addr)) == 1 {
				loads, _ := values.Loads(store.Addr)
				all = append(all, loads...)
			}
		}
	}
	for _, v := range all {
		switch v.Type().Underlying().(type) {
		case *types.Interface, *types.Pointer:
			nils = append(nils, v)
		}
		for cmp := range blocks.UsesOf[*ssa.BinOp](v) {
			if cmp.Op == token.EQL && (literals.IsEmpty(cmp.X) || literals.IsEmpty(cmp.Y)) {
				asked = append(asked, cmp)
			}
		}
	}
	return nils, asked
}

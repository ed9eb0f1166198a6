package subject

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
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

const maxItems = 300

func (c *Checker) follow(first []ssa.Value) *items {
	it := &items{values: make(map[ssa.Value]bool)}
	list := slices.Clone(first)
	add := func(v ssa.Value) {
		if v != nil && !it.values[v] && len(list) < maxItems {
			it.values[v] = true
			list = append(list, v)
		}
	}
	for _, v := range first {
		it.values[v] = true
	}
	for n := 0; n < len(list); n++ {
		refs := list[n].Referrers()
		if refs == nil {
			continue
		}
		for _, ref := range *refs {
			c.derive(it, list[n], ref, add)
		}
	}
	return it
}

// derive adds what an instruction makes of the item v, if that is the item
// still.
func (c *Checker) derive(it *items, v ssa.Value, ref ssa.Instruction, add func(ssa.Value)) {
	// A switch of its own: it goes forward, which ir/values does not.
	switch ref := ref.(type) {
	case *ssa.MakeInterface:
		add(ref)
	case *ssa.ChangeInterface:
		add(ref)
	case *ssa.ChangeType:
		add(ref)
	case *ssa.Phi:
		add(ref)
	case *ssa.TypeAssert:
		if !ref.CommaOk {
			add(ref)
			return
		}
		for _, part := range *ref.Referrers() {
			if part, ok := part.(*ssa.Extract); ok && part.Index == 0 {
				add(part)
			}
		}
	case *ssa.Return:
		for _, result := range c.Graph.ReturnedAs(v) {
			add(result)
		}
	case *ssa.Store:
		if cell, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
			loads(cell, add)
		}
	case *ssa.MakeClosure:
		fn := ref.Fn.(*ssa.Function)
		for n, binding := range ref.Bindings {
			if binding == v && n < len(fn.FreeVars) {
				add(fn.FreeVars[n])
			}
		}
	case ssa.CallInstruction:
		operands := kubeapi.Operands(ref.Common())
		for _, target := range c.Graph.Callees(ref).Funcs {
			for n, arg := range operands {
				if arg == v && n < len(target.Params) {
					it.Calls = append(it.Calls, Handover{ref, target, target.Params[n]})
					add(target.Params[n])
				}
			}
		}
	}
}

// loads adds what is read from a variable, also where a literal has captured
// it.
func loads(cell ssa.Value, add func(ssa.Value)) {
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				add(ref)
			}
		case *ssa.MakeClosure:
			fn := ref.Fn.(*ssa.Function)
			for n, binding := range ref.Bindings {
				if binding == cell && n < len(fn.FreeVars) {
					for _, load := range *fn.FreeVars[n].Referrers() {
						if load, ok := load.(*ssa.UnOp); ok && load.Op == token.MUL {
							add(load)
						}
					}
				}
			}
		}
	}
}

// Has reports whether v is the item.
func (it *items) Has(v ssa.Value) bool { return v != nil && it.values[v] }

// IsPart reports whether v surely is something else than the item: a field of
// it, of another type.
func (it *items) IsPart(v ssa.Value) bool {
	for range 4 {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
			continue
		case *ssa.Field:
			return it.Has(x.X)
		case *ssa.UnOp:
			if addr, ok := x.X.(*ssa.FieldAddr); ok && x.Op == token.MUL {
				if it.Has(addr.X) {
					return true
				}
				// A field of a struct that was copied into a variable.
				if cell, ok := addr.X.(*ssa.Alloc); ok {
					return it.copied(cell)
				}
			}
		}
		return false
	}
	return false
}

// copied reports whether a variable holds the item, and nothing else.
func (it *items) copied(cell *ssa.Alloc) bool {
	if _, ok := cell.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	stores := 0
	for _, ref := range *cell.Referrers() {
		if store, ok := ref.(*ssa.Store); ok && store.Addr == cell {
			if !it.Has(store.Val) {
				return false
			}
			stores++
		}
	}
	return stores > 0
}

// absent are the values that are nil where Get has returned no item, and the
// comparisons that are true there: with nil, with the empty string, with the
// zero value of a struct. first is what Get returns; what is asserted or merged
// may be nil for other reasons.
func absent(first []ssa.Value) (nils, asked []ssa.Value) {
	values := slices.Clone(first)
	for _, v := range first {
		for _, ref := range *v.Referrers() {
			if store, ok := ref.(*ssa.Store); ok && store.Val == v {
				if cell, ok := store.Addr.(*ssa.Alloc); ok && len(calls.StoredInto(cell)) == 1 {
					loads(cell, func(load ssa.Value) { values = append(values, load) })
				}
			}
		}
	}
	for _, v := range values {
		switch v.Type().Underlying().(type) {
		case *types.Interface, *types.Pointer:
			nils = append(nils, v)
		}
		for _, ref := range *v.Referrers() {
			if cmp, ok := ref.(*ssa.BinOp); ok && cmp.Op == token.EQL && (isEmpty(cmp.X) || isEmpty(cmp.Y)) {
				asked = append(asked, cmp)
			}
		}
	}
	return nils, asked
}

// isEmpty reports whether v is the empty string or the zero value of a struct.
func isEmpty(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && (c.Value == nil || c.Value.Kind() == constant.String && constant.StringVal(c.Value) == "")
}

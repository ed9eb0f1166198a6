package duplicatecreate

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isNamedAnew reports whether an object gets another name each time that it is
// created: the server generates it, or it has random letters.
func (c *checker) isNamedAnew(fn *ssa.Function, object ssa.Value) bool {
	o := c.sums.Resolve.Place(object).Object
	anew, named := c.naming(fn, o)
	for _, root := range c.sums.Resolve.Roots(o) {
		if call := callOf(root.Root); call != nil {
			a, n := c.namedByBuilder(call)
			anew, named = anew || a, named || n
		}
	}
	return anew && !named
}

func callOf(v ssa.Value) *ssa.Call {
	if extract, ok := v.(*ssa.Extract); ok {
		v = extract.Tuple
	}
	call, _ := v.(*ssa.Call)
	return call
}

// namedByBuilder tells how a function of the package names what it returns.
func (c *checker) namedByBuilder(call *ssa.Call) (anew, named bool) {
	for _, fn := range c.sums.Calls.Callees(call).Funcs {
		for ret := range blocks.Returns(fn) {
			for _, result := range ret.Results {
				if kubeapi.KindOfValue(result) != nil {
					a, n := c.naming(fn, c.sums.Resolve.Place(result).Object)
					anew, named = anew || a, named || n
				}
			}
		}
	}
	return anew, named
}

// naming tells whether a function gives an object a name that is new each time,
// and whether one that is not.
func (c *checker) naming(fn *ssa.Function, o paths.Object) (anew, named bool) {
	note := func(field string, value ssa.Value) {
		switch {
		case field == "GenerateName", field == "Name" && isRandom(value, make(map[ssa.Value]bool)):
			anew = true
		case field == "Name":
			named = true
		}
	}
	for instr := range blocks.Instrs(fn) {
		store, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		place := c.sums.Resolve.Place(store.Addr)
		switch {
		case place.Object != o || place.Kind == nil || len(place.Sub) == 0 || place.Sub[0] != kubeapi.MetadataPath:
		case len(place.Sub) == 2:
			note(place.Sub[1], store.Val)
		case len(place.Sub) == 1:
			fieldsOf(store.Val, note)
		}
	}
	return anew, named
}

// fieldsOf tells what is stored into the fields of a struct that is put together
// first and copied then, as literals are.
func fieldsOf(v ssa.Value, note func(field string, value ssa.Value)) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.X.Referrers() == nil {
		return
	}
	for _, ref := range *load.X.Referrers() {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, use := range *addr.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == ssa.Value(addr) {
				note(calls.FieldOf(addr.X.Type(), addr.Field).Name(), store.Val)
			}
		}
	}
}

// isRandom reports whether a string has something random in it.
func isRandom(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || len(seen) > 100 {
		return false
	}
	seen[v] = true
	if call, ok := v.(*ssa.Call); ok && kubeapi.MakesRandomName(kubeapi.Callee(call.Common())) {
		return true
	}
	if alloc, ok := v.(*ssa.Alloc); ok && alloc.Referrers() != nil {
		for _, ref := range *alloc.Referrers() {
			if index, ok := ref.(*ssa.IndexAddr); ok { // variadic arguments
				for _, use := range *index.Referrers() {
					if store, ok := use.(*ssa.Store); ok && isRandom(store.Val, seen) {
						return true
					}
				}
			}
		}
	}
	instr, ok := v.(ssa.Instruction)
	return ok && slices.ContainsFunc(instr.Operands(nil), func(operand *ssa.Value) bool { return isRandom(*operand, seen) })
}

package goroutines

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// place says which channel, group, context or other thing to synchronise by a
// value is: where it comes from, and by which fields it is reached from there.
type place struct {
	root ssa.Value
	path string
}

// env has the values of parameters of functions that are looked into.
type env struct {
	args  map[*ssa.Parameter]ssa.Value
	outer *env
}

func (e *env) lookup(p *ssa.Parameter) (ssa.Value, *env) {
	for at := e; at != nil; at = at.outer {
		if v, ok := at.args[p]; ok {
			return v, at.outer
		}
	}
	return nil, nil
}

const maxTrace = 24

// placeOf traces v to where it comes from. Addresses and what they hold are
// not told apart: types do that.
func (a *analysisState) placeOf(v ssa.Value, e *env) place {
	path := ""
	for range maxTrace {
		if inner := a.graph.Returned(v); inner != nil {
			v = inner
			continue
		}
		// A switch of its own: each kind adds to the path of the place, and a parameter changes the frame.
		switch x := v.(type) {
		case *ssa.Parameter:
			arg, outer := e.lookup(x)
			if arg == nil {
				return place{x, path}
			}
			v, e = arg, outer
		case *ssa.FreeVar:
			binding := a.graph.Binding(x)
			if binding == nil {
				return place{x, path}
			}
			v = binding
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return place{x, path}
			}
			if element, ok := x.X.(*ssa.IndexAddr); ok {
				if sole := calls.SoleElement(element); sole != nil {
					v = sole
					continue
				}
			}
			cell := a.cell(x.X)
			if cell == nil {
				v = x.X
				continue
			}
			stored := a.storedReference(cell)
			if stored == nil {
				stored = calls.HeldAt(cell, x)
			}
			if stored == nil {
				return place{cell, path}
			}
			v = stored
		case *ssa.Alloc:
			if stored := a.soleCopy(x); stored != nil {
				v = stored
				continue
			}
			if stored, rest := fieldOfLiteral(x, path); stored != nil {
				v, path = stored, rest
				continue
			}
			return place{x, path}
		case *ssa.FieldAddr:
			path = "." + strconv.Itoa(x.Field) + path
			v = x.X
		case *ssa.Field:
			path = "." + strconv.Itoa(x.Field) + path
			v = x.X
		case *ssa.IndexAddr:
			path = "[]" + path
			v = x.X
		case *ssa.Index:
			path = "[]" + path
			v = x.X
		case *ssa.Lookup:
			path = "[]" + path
			v = x.X
		case *ssa.Extract:
			if lookup, ok := x.Tuple.(*ssa.Lookup); ok && x.Index == 0 {
				path = "[]" + path
				v = lookup.X
				continue
			}
			if assert, ok := x.Tuple.(*ssa.TypeAssert); ok && x.Index == 0 {
				v = assert.X
				continue
			}
			return place{x, path}
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.TypeAssert:
			if x.CommaOk {
				return place{x, path}
			}
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.Phi:
			var only ssa.Value
			for _, edge := range x.Edges {
				if c, ok := edge.(*ssa.Const); ok && c.IsNil() {
					continue
				}
				if only != nil && only != edge {
					return place{x, path}
				}
				only = edge
			}
			if only == nil || only == v {
				return place{x, path}
			}
			v = only
		case *ssa.Call:
			given := a.graph.GivenBack(x, 0)
			if given == nil {
				return place{x, path}
			}
			v = given
		default:
			return place{v, path}
		}
	}
	return place{v, path}
}

func (a *analysisState) cell(addr ssa.Value) *ssa.Alloc {
	cell, _ := calls.Captured(addr).(*ssa.Alloc)
	return cell
}

// storedReference returns the one reference (pointer, channel, map, function,
// interface) that a local variable ever holds, or nil.
func (a *analysisState) storedReference(cell *ssa.Alloc) ssa.Value {
	switch cell.Type().Underlying().(*types.Pointer).Elem().Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature, *types.Interface:
	default:
		return nil
	}
	return onlyStore(cell)
}

// soleCopy returns what a variable of struct type was copied from as a whole,
// if that is all that is ever stored into it.
func (a *analysisState) soleCopy(cell *ssa.Alloc) ssa.Value {
	ptr, ok := cell.Type().Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	if _, ok := ptr.Elem().Underlying().(*types.Struct); !ok {
		return nil
	}
	if stored, ok := onlyStore(cell).(*ssa.Parameter); ok {
		return stored
	}
	return nil
}

// onlyStore returns the one value stored into a variable, in its function or
// in the literals that capture it; nil if there are none or several. A nil
// that was stored first does not count.
func onlyStore(addr ssa.Value) ssa.Value {
	stores := calls.StoredInto(addr)
	var only ssa.Value
	for _, v := range stores {
		if c, ok := v.(*ssa.Const); ok && c.IsNil() {
			continue
		}
		if only != nil && only != v {
			return nil
		}
		only = v
	}
	return only
}

// contexts returns the places of a context and of all that it derives from,
// the nearest first.
func (a *analysisState) contexts(v ssa.Value, e *env) []place {
	var found []place
	for range 8 {
		p := a.placeOf(v, e)
		found = append(found, p)
		if p.path != "" {
			return found
		}
		var call *ssa.Call
		switch root := p.root.(type) {
		case *ssa.Call:
			call = root
		case *ssa.Extract:
			call, _ = root.Tuple.(*ssa.Call)
		}
		if call == nil {
			return found
		}
		parent, _, ok := kubeapi.DerivedContext(call.Common())
		if !ok || parent == nil {
			return found
		}
		// Below the call, parameters are those of the function that has it.
		v, e = parent, e.of(call.Parent())
	}
	return found
}

// of returns the environment in which the parameters of fn are bound.
func (e *env) of(fn *ssa.Function) *env {
	for at := e; at != nil; at = at.outer {
		for _, p := range fn.Params {
			if _, ok := at.args[p]; ok {
				return at
			}
		}
	}
	return nil
}

// fieldOfLiteral returns what the first field of path holds in a struct that
// was made here, if it is a reference stored once; rest is the path below it.
func fieldOfLiteral(made *ssa.Alloc, path string) (stored ssa.Value, rest string) {
	first, rest := splitPath(path)
	if first < 0 || made.Referrers() == nil {
		return nil, ""
	}
	for _, ref := range *made.Referrers() {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok || addr.Field != first || addr.Referrers() == nil {
			continue
		}
		for _, use := range *addr.Referrers() {
			if store, ok := use.(*ssa.Store); ok && store.Addr == addr {
				if stored != nil {
					return nil, ""
				}
				stored = store.Val
			}
		}
	}
	if stored == nil {
		return nil, ""
	}
	switch stored.Type().Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Signature, *types.Interface:
		return stored, rest
	}
	return nil, ""
}

// splitPath takes the first field off a path; it returns -1 if the path does
// not begin with one.
func splitPath(path string) (field int, rest string) {
	if path == "" || path[0] != '.' {
		return -1, ""
	}
	end := 1
	for end < len(path) && '0' <= path[end] && path[end] <= '9' {
		end++
	}
	field, err := strconv.Atoi(path[1:end])
	if err != nil {
		return -1, ""
	}
	return field, path[end:]
}

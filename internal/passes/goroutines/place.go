package goroutines

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
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

// inside is the environment of a function that is called where e is known.
func (e *env) inside(call ssa.CallInstruction, callee *ssa.Function) *env {
	args := make(map[*ssa.Parameter]ssa.Value)
	bindArgs(args, callee, call.Common())
	return &env{args: args, outer: e}
}

const maxTrace = 24

// placeOf traces v to where it comes from. Addresses and what they hold are
// not told apart: types do that.
func (a *analysisState) placeOf(v ssa.Value, e *env) place {
	path := ""
	parts := values.Relation{Calls: a.graph, Steps: values.Same | values.Held | values.Address | values.Taken, More: a.surely, Until: isWaitedFor}
	for range maxTrace {
		if p, ok := v.(*ssa.Parameter); ok {
			arg, outer := e.lookup(p)
			if arg == nil {
				break
			}
			v, e = arg, outer
			continue
		}
		if made, ok := v.(*ssa.Alloc); ok {
			stored, rest := fieldOfLiteral(made, path)
			if copied := a.soleCopy(made); copied != nil {
				stored, rest = copied, path
			}
			if stored == nil {
				break
			}
			v, path = stored, rest
			continue
		}
		from, _ := parts.Sources(v)
		if len(from) != 1 {
			break
		}
		path = partOf(v) + path
		v = from[0]
	}
	return place{v, path}
}

// surely returns what a value surely is, in a list, a variable or a merge, or behind a
// call that gives back what it gets.
func (a *analysisState) surely(v ssa.Value) []ssa.Value {
	found := a.graph.Returned(v)
	switch v := v.(type) {
	case *ssa.UnOp:
		if element, ok := v.X.(*ssa.IndexAddr); ok && found == nil {
			found = calls.SoleElement(element)
		}
		if cell := a.cell(v.X); cell != nil && found == nil {
			if found = a.storedReference(cell); found == nil {
				found = calls.HeldAt(cell, v)
			}
			if found == nil {
				found = cell
			}
		}
	case *ssa.Phi:
		found = onlyOf(v.Edges)
	case *ssa.Call:
		if found == nil {
			found = a.graph.GivenBack(v, 0)
		}
	}
	if found == nil || found == v {
		return nil
	}
	return []ssa.Value{found}
}

// isWaitedFor reports whether a value is what a channel or a loop hands out, or may be a
// part of several: it is told by itself.
func isWaitedFor(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op != token.MUL
	case *ssa.Next, *ssa.Range:
		return true
	case *ssa.Extract:
		_, loop := v.Tuple.(*ssa.Next)
		return loop
	}
	return false
}

// partOf is the part of what it is taken out of that a value is: the field by its number,
// or an element.
func partOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return "." + strconv.Itoa(v.Field)
	case *ssa.Field:
		return "." + strconv.Itoa(v.Field)
	case *ssa.IndexAddr:
		return "[]"
	}
	if _, load := v.(*ssa.UnOp); !load && calls.ElementOf(v) != nil {
		return "[]"
	}
	return ""
}

// cell is the local variable at an address, also where it is captured, or nil.
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
// in the literals that capture it; nil if there are none or several.
func onlyStore(addr ssa.Value) ssa.Value { return onlyOf(calls.StoredInto(addr)) }

// onlyOf returns the one value among some; a nil, which was stored first, does not
// count.
func onlyOf(values []ssa.Value) ssa.Value {
	var only ssa.Value
	for _, v := range values {
		if calls.IsNil(v) {
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
		call, _ := calls.CallOf(p.root)
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
	if first < 0 {
		return nil, ""
	}
	if stored = onlyOf(calls.StoredInField(made, first)); stored == nil {
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

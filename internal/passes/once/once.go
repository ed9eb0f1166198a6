// Package once tells code that runs the first time only from code that runs
// each time: it stands behind a question whether the thing is there already.
//
// It is a library over SSA, and has no state.
package once

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Guarded reports whether an instruction runs only if something that outlives
// the call says so: a field, a variable or an entry of a map is nil, missing or
// not set. What looks like such a question counts.
func Guarded(at ssa.Instruction) bool {
	for branch := range blocks.Decided(at.Block()) {
		if asks(branch.Cond, make(map[ssa.Value]bool)) {
			return true
		}
	}
	return false
}

// asks reports whether a condition depends on what is kept.
func asks(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || len(seen) > maxValues {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.BinOp:
		if calls.IsNil(v.X) || calls.IsNil(v.Y) {
			return !kubeapi.IsError(v.X.Type()) && !kubeapi.IsError(v.Y.Type()) && kept(v.X, seen) || kept(v.Y, seen)
		}
		return asks(v.X, seen) || asks(v.Y, seen)
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return asks(v.X, seen)
		}
		return isFlag(v.Type()) && kept(v, seen)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if asks(edge, seen) {
				return true
			}
		}
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			return true
		case *ssa.Call:
			return isLookup(tuple)
		case *ssa.TypeAssert:
			return kept(tuple.X, seen)
		}
	case *ssa.Lookup:
		return true
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		return kubeapi.AsksScheme(callee) || isLookup(v) || isAtomic(callee) || isQuestion(v)
	}
	return false
}

const maxValues = 60

// kept reports whether a value is read from a field, a variable of the package,
// a variable around a function literal or a map.
func kept(v ssa.Value, seen map[ssa.Value]bool) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		switch addr := v.X.(type) {
		case *ssa.Global, *ssa.FreeVar, *ssa.IndexAddr:
			return true
		case *ssa.FieldAddr:
			return outlives(addr.X)
		}
	case *ssa.Field:
		return outlives(v.X)
	case *ssa.Lookup:
		return true
	case *ssa.Extract, *ssa.Call:
		return asks(v, seen)
	case *ssa.Phi:
		if seen[v] {
			return false
		}
		seen[v] = true
		for _, edge := range v.Edges {
			if kept(edge, seen) {
				return true
			}
		}
	}
	return false
}

// outlives reports whether a struct is not one that the function has made, nor
// a part of an API object: what that says differs from call to call.
func outlives(base ssa.Value) bool {
	for {
		if kubeapi.KindOf(base.Type()) != nil {
			return false
		}
		switch b := base.(type) {
		case *ssa.FieldAddr:
			base = b.X
		case *ssa.Field:
			base = b.X
		case *ssa.UnOp:
			base = b.X
			if cell, ok := b.X.(*ssa.Alloc); ok {
				if held := calls.HeldAt(cell, b); held != nil {
					base = held // a parameter that a literal captures
				}
			}
		case *ssa.Alloc:
			return false
		case *ssa.Parameter:
			_, ptr := b.Type().Underlying().(*types.Pointer)
			return ptr || types.IsInterface(b.Type()) || calls.IsReceiver(b) // a copy is the call's own
		default:
			return true
		}
	}
}

// isLookup reports whether a call asks a store of the program's own for what it
// has under a key: it returns whether it has, as sync.Map's Load does.
func isLookup(call *ssa.Call) bool {
	results := call.Call.Signature().Results()
	_, args := kubeapi.Args(call.Common())
	return results.Len() == 2 && isFlag(results.At(1).Type()) && len(args) > 0
}

// isQuestion reports whether a call asks something that is kept in a field
// whether it has, or knows, what it is given.
func isQuestion(call *ssa.Call) bool {
	recv, args := kubeapi.Args(call.Common())
	if recv == nil || len(args) == 0 || !isFlag(call.Type()) {
		return false
	}
	load, ok := recv.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && outlives(field.X)
}

func isAtomic(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic"
}

func isFlag(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

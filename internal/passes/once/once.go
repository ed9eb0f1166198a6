// Package once tells code that runs the first time only from code that runs
// each time: it stands behind a question whether the thing is there already.
//
// It is a library over SSA, and has no state.
package once

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Guarded reports whether an instruction runs only if something that outlives
// the call says so: a field, a variable or an entry of a map is nil, missing, not
// set, or out of date. What looks like such a question counts.
func Guarded(at ssa.Instruction) bool {
	for branch := range blocks.Decided(at.Block()) {
		if asks(branch.Cond) {
			return true
		}
	}
	for branch := range blocks.Above(at.Block()) {
		if found, holds := values.Asked(branch.Cond, true); isKeptEntry(found) && endsIn(blocks.Side(branch, holds), branch) {
			return true
		}
	}
	return false
}

// isKeptEntry reports whether a value tells whether a field of something that outlives the
// call, a map or a store, has an entry.
func isKeptEntry(found ssa.Value) bool {
	extract, ok := found.(*ssa.Extract)
	if !ok || extract.Index != 1 {
		return false
	}
	switch tuple := extract.Tuple.(type) {
	case *ssa.Lookup:
		return isOfKeeper(tuple.X)
	case *ssa.Call:
		if literal, ok := tuple.Call.Value.(*ssa.MakeClosure); ok {
			return tuple.Call.Signature().Results().Len() == 2 && isOfKeeper(literal)
		}
		return isLookup(tuple) && slices.ContainsFunc(kubeapi.Operands(tuple.Common()), isOfKeeper)
	}
	return false
}

// isOfKeeper reports whether a value is a field of something that outlives the call, or that
// itself: what a function is called on, or a pointer that it is handed, or a literal has captured.
func isOfKeeper(v ssa.Value) bool {
	if literal, ok := v.(*ssa.MakeClosure); ok {
		return slices.ContainsFunc(literal.Bindings, isOfKeeper)
	}
	if field := fieldOf(v); field != nil {
		return outlives(field.X)
	}
	if stored := values.StoredOnce(v); stored != nil {
		v = stored[0]
	}
	p, ok := v.(*ssa.Parameter)
	return ok && !kubeapi.IsContext(p.Type()) && kubeapi.IsPointer(p.Type()) && outlives(p)
}

// endsIn reports whether the function may end in success, or go on with the next round of
// a loop, within one side of a branch: an entry that is there may be up to date.
func endsIn(side *ssa.BasicBlock, branch *ssa.If) bool {
	if len(side.Preds) != 1 {
		return false
	}
	for _, block := range side.Parent().Blocks {
		if !side.Dominates(block) {
			continue
		}
		if slices.ContainsFunc(block.Succs, func(next *ssa.BasicBlock) bool { return next.Dominates(branch.Block()) }) {
			return true
		}
		if ret, ok := blocks.Last(block).(*ssa.Return); ok && !slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return kubeapi.IsError(v.Type()) && !calls.IsNil(v) }) {
			return true
		}
	}
	return false
}

// asks reports whether a condition depends on what is kept.
func asks(cond ssa.Value) bool {
	parts := values.Relation{Steps: values.Merged, More: func(v ssa.Value) []ssa.Value {
		if compare, ok := v.(*ssa.BinOp); ok && !calls.IsNil(compare.X) && !calls.IsNil(compare.Y) {
			return []ssa.Value{compare.X, compare.Y}
		}
		if asked, _ := values.Asked(v, true); asked != v {
			return []ssa.Value{asked}
		}
		return nil
	}}
	return parts.Any(cond, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.BinOp:
			return !kubeapi.IsError(v.X.Type()) && (calls.IsNil(v.Y) && kept(v.X) || calls.IsNil(v.X) && kept(v.Y))
		case *ssa.UnOp:
			return kubeapi.IsBool(v.Type()) && kept(v)
		}
		return answers(v)
	})
}

// answers reports whether a value is the answer to a question what is there.
func answers(v ssa.Value) bool {
	if call, _ := calls.CallOf(v); call != nil {
		callee := kubeapi.Callee(call.Common())
		return isLookup(call) || call == v && (kubeapi.AsksScheme(callee) || callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "sync/atomic" || isQuestion(call))
	}
	switch v := v.(type) {
	case *ssa.Lookup:
		return true
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			return true
		case *ssa.TypeAssert:
			return kept(tuple.X)
		}
	}
	return false
}

// kept reports whether a value is read from a field, a variable of the package,
// a variable around a function literal or a map.
func kept(v ssa.Value) bool {
	return values.Relation{Steps: values.Merged}.Any(v, func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.UnOp:
			switch addr := v.X.(type) {
			case *ssa.Global, *ssa.FreeVar, *ssa.IndexAddr:
				return v.Op == token.MUL
			case *ssa.FieldAddr:
				return v.Op == token.MUL && outlives(addr.X)
			}
		case *ssa.Field:
			return outlives(v.X)
		}
		return answers(v)
	})
}

// outlives reports whether a struct is not one that the function has made, nor
// a part of an API object: what that says differs from call to call.
func outlives(base ssa.Value) bool {
	within := values.Relation{Steps: values.Selected | values.Address, More: func(v ssa.Value) []ssa.Value {
		load, ok := v.(*ssa.UnOp)
		if !ok {
			return nil
		}
		if cell, ok := load.X.(*ssa.Alloc); ok {
			if held := calls.HeldAt(cell, load); held != nil {
				return []ssa.Value{held} // a parameter that a literal captures
			}
		}
		return nil
	}}
	for base = range within.Chain(base) {
		if kubeapi.KindOf(base.Type()) != nil {
			return false
		}
	}
	switch b := base.(type) {
	case *ssa.Alloc:
		return false
	case *ssa.Parameter:
		_, ptr := b.Type().Underlying().(*types.Pointer)
		return ptr || types.IsInterface(b.Type()) || calls.IsReceiver(b) // a copy is the call's own
	}
	return true
}

// isLookup reports whether a call asks a store of the program's own for what it
// has under a key: it returns whether it has, as sync.Map's Load does.
func isLookup(call *ssa.Call) bool {
	results := call.Call.Signature().Results()
	_, args := kubeapi.Args(call.Common())
	return results.Len() == 2 && kubeapi.IsBool(results.At(1).Type()) && len(args) > 0
}

// isQuestion reports whether a call asks something that is kept in a field
// whether it has, or knows, what it is given.
func isQuestion(call *ssa.Call) bool {
	recv, args := kubeapi.Args(call.Common())
	if recv == nil || len(args) == 0 || !kubeapi.IsBool(call.Type()) {
		return false
	}
	field := fieldOf(recv)
	return field != nil && outlives(field.X)
}

// fieldOf returns the field that a value is loaded from, or that it is the address of; nil
// for none.
func fieldOf(v ssa.Value) *ssa.FieldAddr {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	field, _ := v.(*ssa.FieldAddr)
	return field
}

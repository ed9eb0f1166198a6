package literals

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Elements returns the values that a slice, made in the package, holds; ok is
// false if there may be others.
func (r *Reader) Elements(v ssa.Value) (elements []ssa.Value, ok bool) {
	return r.elements(v, make(map[ssa.Value]bool), 0)
}

func (r *Reader) elements(v ssa.Value, seen map[ssa.Value]bool, depth int) (found []ssa.Value, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	if depth > maxDepth {
		return nil, false
	}
	all := func(values ...ssa.Value) ([]ssa.Value, bool) {
		ok := true
		for _, v := range values {
			more, known := r.elements(v, seen, depth+1)
			found, ok = append(found, more...), ok && known
		}
		return found, ok
	}
	switch v := v.(type) {
	case *ssa.Const:
		return nil, true
	case *ssa.Slice:
		array, isArray := v.X.(*ssa.Alloc)
		if !isArray {
			return all(v.X)
		}
		for index := range blocks.UsesOf[*ssa.IndexAddr](array) {
			for store := range blocks.Stores(index) {
				found = append(found, store.Val)
			}
		}
		return found, true
	case *ssa.Phi:
		return all(v.Edges...)
	case *ssa.ChangeType:
		return all(v.X)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			return all(calls.StoredInto(addr)...)
		case *ssa.Global:
			if addr.Pkg != r.Calls.Pkg || addr.Object() == nil || addr.Object().Exported() && r.Calls.Pkg.Pkg.Name() != "main" {
				return nil, false
			}
			return all(r.Calls.Stored(addr.Object())...)
		}
	case *ssa.Call:
		if builtin, isBuiltin := v.Call.Value.(*ssa.Builtin); isBuiltin && builtin.Name() == "append" {
			return all(v.Call.Args...)
		}
		var values []ssa.Value
		if r.returned(v, 0, func(results ...ssa.Value) { values = append(values, results...) }) {
			return all(values...)
		}
	}
	return nil, false
}

// Entry is an entry of a map.
type Entry struct {
	Key, Value ssa.Value
	At         ssa.Instruction
}

// Entries returns the entries that maps, made in the package, get; ok is false
// if there may be others.
func (r *Reader) Entries(maps ...ssa.Value) (entries []Entry, ok bool) {
	ok = true
	seen := make(map[ssa.Value]bool)
	for _, m := range maps {
		more, known := r.entries(m, seen, 0)
		entries, ok = append(entries, more...), ok && known
	}
	return entries, ok
}

func (r *Reader) entries(v ssa.Value, seen map[ssa.Value]bool, depth int) (found []Entry, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	if depth > maxDepth {
		return nil, false
	}
	add := func(values ...ssa.Value) {
		for _, v := range values {
			more, known := r.entries(v, seen, depth+1)
			found, ok = append(found, more...), ok && known
		}
	}
	found, ok = r.updates(v, make(map[ssa.Value]bool), depth)
	switch v := v.(type) {
	case *ssa.Const, *ssa.MakeMap:
	case *ssa.Phi:
		add(v.Edges...)
	case *ssa.ChangeType:
		add(v.X)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			add(calls.StoredInto(addr)...)
			for _, ref := range *addr.Referrers() {
				switch ref := ref.(type) {
				case *ssa.UnOp:
					add(ref)
				case *ssa.MakeClosure:
					more, known := r.inLiteral(ref, addr, 0)
					found, ok = append(found, more...), ok && known
				}
			}
		case *ssa.FieldAddr:
			// A field that the caller has gathered the values of: only what is
			// put in through this load counts.
		default:
			return found, false
		}
	case *ssa.Call:
		if !r.returned(v, 0, add) {
			return found, false
		}
	case *ssa.Extract:
		if call, isCall := v.Tuple.(*ssa.Call); !isCall || !r.returned(call, v.Index, add) {
			return found, false
		}
	default:
		return found, false
	}
	return found, ok
}

// updates returns what is put into a map by this name, also by functions of the package that are
// handed the map, which handed keeps; ok is false if others may put something in.
func (r *Reader) updates(m ssa.Value, handed map[ssa.Value]bool, depth int) (found []Entry, ok bool) {
	ok = true
	for ref := range blocks.Uses(m) {
		switch ref := ref.(type) {
		case *ssa.MapUpdate:
			if ref.Map == m {
				found = append(found, Entry{ref.Key, ref.Value, ref})
			}
		case ssa.CallInstruction:
			more, known := r.filled(ref.Common(), m, handed, depth)
			found, ok = append(found, more...), ok && known
		case *ssa.Phi, *ssa.Store, *ssa.MakeClosure, *ssa.ChangeType:
			if _, isParam := m.(*ssa.Parameter); isParam {
				ok = false // it has another name there
			}
		}
	}
	return found, ok
}

// filled returns what a call puts into a map that it is handed.
func (r *Reader) filled(call *ssa.CallCommon, m ssa.Value, handed map[ssa.Value]bool, depth int) (found []Entry, ok bool) {
	if _, isBuiltin := call.Value.(*ssa.Builtin); isBuiltin {
		return nil, true // none puts anything in
	}
	if fn := kubeapi.Callee(call); fn != nil && fn.Pkg() != nil && kubeapi.IsStandard(fn.Pkg()) {
		return nil, !kubeapi.IsFunc(fn, "maps", "Copy", "Insert") || call.Args[0] != m
	}
	callee := call.StaticCallee()
	if callee == nil || callee.Blocks == nil || depth > maxDepth {
		return nil, false
	}
	ok = true
	for i, arg := range call.Args {
		if arg == m && i < len(callee.Params) && !handed[callee.Params[i]] {
			handed[callee.Params[i]] = true
			more, known := r.updates(callee.Params[i], handed, depth+1)
			found, ok = append(found, more...), ok && known
		}
	}
	return found, ok
}

// inLiteral returns what a function literal, such as the body of a loop over an iterator,
// puts into a map in a variable that it captures.
func (r *Reader) inLiteral(made *ssa.MakeClosure, variable ssa.Value, depth int) (found []Entry, ok bool) {
	fn, ok := made.Fn.(*ssa.Function)
	if !ok || depth > maxDepth {
		return nil, false
	}
	add := func(more []Entry, known bool) { found, ok = append(found, more...), ok && known }
	for i, binding := range made.Bindings {
		if binding != variable {
			continue
		}
		for ref := range blocks.Uses(fn.FreeVars[i]) {
			switch ref := ref.(type) {
			case *ssa.UnOp:
				add(r.updates(ref, make(map[ssa.Value]bool), depth))
			case *ssa.MakeClosure:
				add(r.inLiteral(ref, fn.FreeVars[i], depth+1))
			}
		}
	}
	return found, ok
}

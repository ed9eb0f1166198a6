package calls

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxBehind bounds the steps that Behind takes back.
const maxBehind = 20

// Behind returns what v is, seen through interfaces, conversions, and local
// variables to which one value is assigned, also where literals capture them.
func Behind(v ssa.Value) ssa.Value {
	for range maxBehind {
		if x := kubeapi.Converted(v); x != nil {
			v = x
			continue
		}
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return v
		}
		local, ok := Captured(load.X).(*ssa.Alloc)
		if !ok {
			return v
		}
		held := HeldAt(local, load)
		if held == nil {
			return v
		}
		v = held
	}
	return v
}

// HeldAt returns what a local variable holds where it is read: the only value that is
// ever stored into it, or the last one that its function has stored before the read, or
// before it made the literals that read it; nil if that is not known. Literals must not
// store into it before the read.
func HeldAt(local *ssa.Alloc, read ssa.Instruction) ssa.Value {
	values := StoredInto(local)
	if len(values) == 1 {
		return values[0]
	}
	var stores []*ssa.Store
	var closures []*ssa.MakeClosure
	for _, ref := range *local.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == local {
				stores = append(stores, ref)
			}
		case *ssa.MakeClosure:
			closures = append(closures, ref)
		}
	}
	if len(closures) == 0 {
		return nil // no literal reads it
	}
	own := read.Parent() == local.Parent()
	made := func(closure *ssa.MakeClosure) bool { return blocks.Follows(closure, read) }
	if len(stores) != len(values) && (!own || slices.ContainsFunc(closures, made)) {
		return nil // one stores into it
	}
	if own {
		if last := lastBefore(stores, read); last != nil {
			return last.Val
		}
		return nil
	}
	var held *ssa.Store
	for _, closure := range closures {
		last := lastBefore(stores, closure)
		later := func(store *ssa.Store) bool { return blocks.Follows(closure, store) }
		if last == nil || held != nil && last != held || slices.ContainsFunc(stores, later) {
			return nil
		}
		held = last
	}
	return held.Val
}

// lastBefore returns the store that is the last one before an instruction, whichever
// way leads there; nil if there is none.
func lastBefore(stores []*ssa.Store, at ssa.Instruction) *ssa.Store {
	var last *ssa.Store
	for _, store := range stores {
		if blocks.Precedes(store, at) && (last == nil || blocks.Precedes(last, store)) {
			last = store
		}
	}
	for _, store := range stores {
		if store != last && blocks.Follows(store, at) && (last == nil || !blocks.Precedes(store, last) || blocks.Follows(last, store)) {
			return nil
		}
	}
	return last
}

// Captured returns the variable that a captured one is where it is declared; other
// addresses are themselves, and so is what literals of several places have captured.
func Captured(addr ssa.Value) ssa.Value {
	for range maxBehind {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		fn := free.Parent()
		bound := ssa.Value(nil)
		for _, ref := range *fn.Referrers() {
			if closure, ok := ref.(*ssa.MakeClosure); ok && bound == nil {
				bound = closure.Bindings[slices.Index(fn.FreeVars, free)]
			} else {
				return addr
			}
		}
		if bound == nil {
			break
		}
		addr = bound
	}
	return addr
}

// IsNil reports whether a value is the constant nil.
func IsNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

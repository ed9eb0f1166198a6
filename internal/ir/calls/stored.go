package calls

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// How far back the last store is looked for.
const (
	maxBackBlocks = 8
	maxBackInstrs = 201
)

// maxStores bounds the stores of which it is asked whether they come before a load.
const maxStores = 16

// maxCopies bounds the variables, and literals that capture them, in which a field of a struct
// is looked for.
const maxCopies = 32

// StoredBefore returns the values of [StoredInto] that a load of a local variable may see.
// If the way to the load is one, and something is stored into the variable on it, that
// is the last of these stores and those of the literals that capture it: an error that
// is assigned again is another one, and what a function returns under a name is what this
// return statement says. What is stored where no way leads to the load, such as by another
// return statement, does not count.
func StoredBefore(load *ssa.UnOp, cell *ssa.Alloc) []ssa.Value {
	if load.X != cell {
		return StoredInto(cell) // in a literal
	}
	if last := lastStore(load, cell); last != nil {
		return append([]ssa.Value{last.Val}, storedByLiterals(cell)...)
	}
	var found []ssa.Value
	stores := 0
	for store := range blocks.UsesOf[*ssa.Store](cell) {
		if stores++; stores > maxStores {
			return StoredInto(cell)
		}
		if store.Addr == cell && blocks.Reaches(store.Block(), load.Block()) {
			found = append(found, store.Val)
		}
	}
	return append(found, storedByLiterals(cell)...)
}

// StoredLast returns what a block stores at an address last before an instruction of it,
// such as a result that is kept while deferred calls run; nil for nothing.
func StoredLast(before ssa.Instruction, addr ssa.Value) ssa.Value {
	if last := lastIn(upTo(before), addr); last != nil {
		return last.Val
	}
	return nil
}

// lastStore returns the last store into a variable on the only way to an instruction; nil
// for none, or if there are several ways.
func lastStore(at ssa.Instruction, cell *ssa.Alloc) *ssa.Store {
	block, instrs, left := at.Block(), upTo(at), maxBackInstrs
	for range maxBackBlocks {
		instrs = instrs[max(0, len(instrs)-left):]
		if last := lastIn(instrs, cell); last != nil {
			return last
		}
		if left -= len(instrs); left == 0 || len(block.Preds) != 1 {
			return nil
		}
		block = block.Preds[0]
		instrs = block.Instrs
	}
	return nil
}

// upTo is what stands before an instruction in its block.
func upTo(instr ssa.Instruction) []ssa.Instruction {
	instrs := instr.Block().Instrs
	return instrs[:slices.Index(instrs, instr)]
}

func lastIn(instrs []ssa.Instruction, addr ssa.Value) *ssa.Store {
	for _, instr := range slices.Backward(instrs) {
		if store, ok := instr.(*ssa.Store); ok && store.Addr == addr {
			return store
		}
	}
	return nil
}

// storedByLiterals returns what literals store into a variable that they capture.
func storedByLiterals(cell *ssa.Alloc) []ssa.Value {
	var found []ssa.Value
	for literal := range blocks.UsesOf[*ssa.MakeClosure](cell) {
		for i, binding := range literal.Bindings {
			if binding == cell {
				found = append(found, StoredInto(literal.Fn.(*ssa.Function).FreeVars[i])...)
			}
		}
	}
	return found
}

// StoredInField returns what is stored into a field of a struct that a function has in a
// variable of its own: there, by literals that capture it, and in the literal or the other
// variable that it is a copy of. There is nothing if the struct may come from elsewhere.
func StoredInField(made *ssa.Alloc, index int) []ssa.Value {
	var stored []ssa.Value
	// Variables may be copies of each other: each is looked at once.
	copies := []ssa.Value{made}
	also := func(other ssa.Value) {
		if !slices.Contains(copies, other) {
			copies = append(copies, other)
		}
	}
	for i := 0; i < len(copies); i++ {
		if i == maxCopies {
			return nil
		}
		for ref := range blocks.Uses(copies[i]) {
			switch ref := ref.(type) {
			case *ssa.FieldAddr:
				if ref.Field != index {
					continue
				}
				for store := range blocks.Stores(ref) {
					stored = append(stored, store.Val)
				}
			case *ssa.Store:
				if ref.Addr != copies[i] {
					continue
				}
				load, ok := ref.Val.(*ssa.UnOp)
				if !ok {
					return nil
				}
				copied, ok := load.X.(*ssa.Alloc)
				if !ok {
					return nil
				}
				also(copied)
			case *ssa.MakeClosure:
				for j, binding := range ref.Bindings {
					if binding == copies[i] {
						also(ref.Fn.(*ssa.Function).FreeVars[j])
					}
				}
			}
		}
	}
	return stored
}

// Package blocks answers what the blocks of one function tell about each other:
// which branches have been decided where one runs, what comes before and after it,
// whether it runs again; and yields the instructions and returns of a function, and what
// uses a value.
package blocks

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Last returns the instruction that ends a block, nil if it is empty.
func Last(block *ssa.BasicBlock) ssa.Instruction {
	if len(block.Instrs) == 0 {
		return nil
	}
	return block.Instrs[len(block.Instrs)-1]
}

// Instrs yields the instructions of a function, block by block; none if it has no
// body.
func Instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if !yield(instr) {
					return
				}
			}
		}
	}
}

// Operands hands out the operands of one instruction after the other, in the same memory:
// passes go through all instructions of a package.
type Operands struct{ last []*ssa.Value }

// Of returns the operands of an instruction, until it is asked for those of another one.
func (o *Operands) Of(instr ssa.Instruction) []*ssa.Value {
	o.last = instr.Operands(o.last[:0])
	return o.last
}

// Uses yields the instructions that use a value; none for what has no uses of its own,
// such as functions, constants and global variables.
func Uses(v ssa.Value) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		refs := v.Referrers()
		for i := 0; refs != nil && i < len(*refs); i++ {
			if !yield((*refs)[i]) {
				return
			}
		}
	}
}

// SoleUse returns the one instruction that uses a value; nil if there are several, or none.
func SoleUse(v ssa.Value) ssa.Instruction {
	if refs := v.Referrers(); refs != nil && len(*refs) == 1 {
		return (*refs)[0]
	}
	return nil
}

// InstrsOf yields the instructions of a function that are of one type.
func InstrsOf[T any](fn *ssa.Function) iter.Seq[T] {
	return func(yield func(T) bool) {
		calls := asksForCalls[T]()
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if calls && !isCall(instr) {
					continue
				}
				if t, ok := instr.(T); ok && !yield(t) {
					return
				}
			}
		}
	}
}

// UsesOf yields the uses of a value that are of one type.
func UsesOf[T any](v ssa.Value) iter.Seq[T] {
	return func(yield func(T) bool) {
		refs := v.Referrers()
		calls := asksForCalls[T]()
		for i := 0; refs != nil && i < len(*refs); i++ {
			if calls && !isCall((*refs)[i]) {
				continue
			}
			if t, ok := (*refs)[i].(T); ok && !yield(t) {
				return
			}
		}
	}
}

// Any reports whether a function has an instruction of one type that is such a one.
func Any[T any](fn *ssa.Function, is func(T) bool) bool {
	for instr := range InstrsOf[T](fn) {
		if is(instr) {
			return true
		}
	}
	return false
}

// AnyUse reports whether a value has a use of one type that is such a one.
func AnyUse[T any](v ssa.Value, is func(T) bool) bool {
	for use := range UsesOf[T](v) {
		if is(use) {
			return true
		}
	}
	return false
}

// asksForCalls reports whether a type is that of calls: whether an instruction is one, go
// and defer included, is what is asked most often by far, and to compare three types is
// faster than to find out whether one of any kind has the methods.
func asksForCalls[T any]() bool {
	_, ok := any((*T)(nil)).(*ssa.CallInstruction)
	return ok
}

func isCall(instr ssa.Instruction) bool {
	switch instr.(type) {
	case *ssa.Call, *ssa.Go, *ssa.Defer:
		return true
	}
	return false
}

// Stores yields what is stored at an address where that itself is named.
func Stores(addr ssa.Value) iter.Seq[*ssa.Store] {
	return func(yield func(*ssa.Store) bool) {
		for store := range UsesOf[*ssa.Store](addr) {
			if store.Addr == addr && !yield(store) {
				return
			}
		}
	}
}

// StoresTo reports whether an instruction stores something at an address.
func StoresTo(instr ssa.Instruction, addr ssa.Value) bool {
	store, ok := instr.(*ssa.Store)
	return ok && store.Addr == addr
}

// Received yields the channels that an instruction receives from: a receive, or the cases
// of a select.
func Received(instr ssa.Instruction) iter.Seq[ssa.Value] {
	return func(yield func(ssa.Value) bool) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				yield(instr.X)
			}
		case *ssa.Select:
			for _, state := range instr.States {
				if state.Dir == types.RecvOnly && !yield(state.Chan) {
					return
				}
			}
		}
	}
}

// Returns yields the returns of a function. The one after a recovered panic is left
// out: it hands back what the named results happen to hold.
func Returns(fn *ssa.Function) iter.Seq[*ssa.Return] {
	return func(yield func(*ssa.Return) bool) {
		for _, block := range fn.Blocks {
			if ret, ok := Last(block).(*ssa.Return); ok && block != fn.Recover && !yield(ret) {
				return
			}
		}
	}
}

// Inevitable reports whether a function cannot return without passing a block.
func Inevitable(block *ssa.BasicBlock) bool {
	for ret := range Returns(block.Parent()) {
		if !block.Dominates(ret.Block()) {
			return false
		}
	}
	return true
}

// Walk yields some nodes and all to which steps lead from them, each once.
func Walk[N comparable](step func(N) []N, from ...N) iter.Seq[N] {
	return func(yield func(N) bool) {
		seen := make(map[N]bool)
		open := slices.Clone(from)
		for len(open) > 0 {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if seen[last] {
				continue
			}
			if seen[last] = true; !yield(last) {
				return
			}
			open = append(open, step(last)...)
		}
	}
}

// ReturnsWithout tells from which blocks, by their numbers, a function may return without
// passing another one. It is one search for all of them.
func ReturnsWithout(block *ssa.BasicBlock) []bool {
	found := make([]bool, len(block.Parent().Blocks))
	var open []*ssa.BasicBlock
	reach := func(from *ssa.BasicBlock) {
		if from != block && !found[from.Index] {
			found[from.Index] = true
			open = append(open, from)
		}
	}
	for ret := range Returns(block.Parent()) {
		reach(ret.Block())
	}
	for len(open) > 0 {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		for _, pred := range last.Preds {
			reach(pred)
		}
	}
	return found
}

// IsStoredTo reports whether something is put into a field or a part of it, without a
// reference in between.
func IsStoredTo(addr *ssa.FieldAddr) bool {
	for use := range Uses(addr) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == addr {
				return true
			}
		case *ssa.FieldAddr:
			if IsStoredTo(use) {
				return true
			}
		}
	}
	return false
}

// IsLoad reports whether a value was read from memory.
func IsLoad(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	return ok && load.Op == token.MUL
}

// IsVariable reports whether an address is that of a variable of a function, or of one
// around it.
func IsVariable(addr ssa.Value) bool {
	switch addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return true
	}
	return false
}

// Base is the struct, or the address of one, that the address of a field begins in.
func Base(addr ssa.Value) ssa.Value {
	for {
		field, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return addr
		}
		addr = field.X
	}
}

// Within reports whether a function is another one or a literal in it.
func Within(fn, outer *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn == outer {
			return true
		}
	}
	return false
}

// Above yields the branches that are passed on every path to a block, the nearest
// first, whichever way they went.
func Above(block *ssa.BasicBlock) iter.Seq[*ssa.If] {
	return func(yield func(*ssa.If) bool) {
		for at := block.Idom(); at != nil; at = at.Idom() {
			if branch, ok := Last(at).(*ssa.If); ok && !yield(branch) {
				return
			}
		}
	}
}

// Decided yields the branches above a block that went one way on every path to it,
// the nearest first, and whether their condition held.
func Decided(block *ssa.BasicBlock) iter.Seq2[*ssa.If, bool] {
	return func(yield func(*ssa.If, bool) bool) {
		for at := block; at.Idom() != nil; at = at.Idom() {
			from := at.Idom()
			if len(at.Preds) != 1 {
				continue // what is above has met again
			}
			branch, ok := Last(from).(*ssa.If)
			if ok && from.Succs[0] != from.Succs[1] && !yield(branch, from.Succs[0] == at) {
				return
			}
		}
	}
}

// Side returns the block to which a branch leads if its condition holds, or does
// not.
func Side(branch *ssa.If, holds bool) *ssa.BasicBlock {
	if holds {
		return branch.Block().Succs[0]
	}
	return branch.Block().Succs[1]
}

// Reaches reports whether a block is another one, or a path leads from it to that.
func Reaches(from, to *ssa.BasicBlock) bool { return from == to || leads(from, to) }

// Repeats reports whether a block is in a loop.
func Repeats(block *ssa.BasicBlock) bool { return leads(block, block) }

// Precedes reports whether an instruction comes before another one on every way to
// that.
func Precedes(first, then ssa.Instruction) bool {
	if first.Block() != then.Block() {
		return first.Block().Dominates(then.Block())
	}
	instrs := first.Block().Instrs
	return slices.Index(instrs, first) < slices.Index(instrs, then)
}

// Follows reports whether an instruction can run after another one of the same
// function; after itself only in a loop.
func Follows(first, then ssa.Instruction) bool {
	from, to := first.Block(), then.Block()
	if from.Parent() != to.Parent() {
		return false
	}
	if from != to && from.Dominates(to) {
		return true // the way from the entry to it passes here
	}
	return from == to && Precedes(first, then) || leads(from, to)
}

// FollowsInRound is like [Follows] within one round of those in which made, an instruction of
// the same function, makes a value anew.
func FollowsInRound(first, then, made ssa.Instruction) bool {
	if first.Block() == then.Block() && Precedes(first, then) {
		return true
	}
	return made.Block() != then.Block() && LeadAround(first.Block().Succs, then.Block(), made.Block())
}

// Position is where an instruction stands, or else what uses its value: a load stands nowhere.
func Position(instr ssa.Instruction) token.Pos {
	if v, ok := instr.(ssa.Value); ok && !instr.Pos().IsValid() {
		for use := range Uses(v) {
			if use.Pos().IsValid() {
				return use.Pos()
			}
		}
	}
	return instr.Pos()
}

// leads reports whether a path of one step or more leads from a block to another
// one.
func leads(from, to *ssa.BasicBlock) bool { return LeadAround(from.Succs, to) }

// LeadAround reports whether a path leads from one of some blocks to another block of their
// function, or begins there, and passes none of those to avoid before. Many ask it for many
// pairs in one function: blocks are numbered.
func LeadAround(from []*ssa.BasicBlock, to *ssa.BasicBlock, avoid ...*ssa.BasicBlock) bool {
	fn := to.Parent()
	seen := make([]bool, len(fn.Blocks))
	for _, block := range avoid {
		if block.Parent() == fn {
			seen[block.Index] = true
		}
	}
	stack := slices.Clone(from)
	for len(stack) > 0 {
		block := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if block == to {
			return true
		}
		if !seen[block.Index] {
			seen[block.Index] = true
			stack = append(stack, block.Succs...)
		}
	}
	return false
}

package managers

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/literal"
)

// namespaced notes that the cache is limited to namespaces, or is so on some
// paths only.
func (o *options) namespaced(optional bool) {
	o.m.Optional = optional && (o.m.Optional || !o.m.Namespaced)
	o.m.Namespaced = true
}

// optional reports whether a field stays empty on some path to the manager. A
// variable that may be empty says nothing; an if that leaves the field out does.
func (o *options) optional(s *literal.Struct, field string) bool {
	stores := slices.DeleteFunc(slices.Clone(s.Stores[field]), func(store *ssa.Store) bool { return literal.IsZero(store.Val) })
	if len(stores) == 0 {
		return false
	}
	if !slices.ContainsFunc(stores, func(store *ssa.Store) bool { return !mayBeZero(store.Val) }) {
		return true
	}
	instrs := make([]ssa.Instruction, len(stores))
	for i, store := range stores {
		instrs[i] = store
	}
	return o.avoidable(instrs)
}

// mayBeZero reports whether a variable is left empty on one of the ways to v.
func mayBeZero(v ssa.Value) bool {
	phi, ok := v.(*ssa.Phi)
	return ok && slices.ContainsFunc(phi.Edges, literal.IsZero)
}

// avoidable reports whether a path leads to the call that makes the manager past
// all of some instructions, which are in the same function.
func (o *options) avoidable(instrs []ssa.Instruction) bool {
	fn := o.call.Parent()
	passed := make(map[*ssa.BasicBlock]bool)
	for _, instr := range instrs {
		if instr = o.within(fn, instr); instr == nil {
			return false
		}
		passed[instr.Block()] = true
	}
	if len(fn.Blocks) == 0 || passed[fn.Blocks[0]] {
		return false
	}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	passed[fn.Blocks[0]] = true
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if block == o.call.Block() {
			return true
		}
		for _, succ := range block.Succs {
			if !passed[succ] {
				passed[succ] = true
				work = append(work, succ)
			}
		}
	}
	return false
}

// within returns the instruction of fn with which another one runs: itself, or
// the one that makes the literal that it stands in, such as the body of a loop over
// an iterator; nil for those of other functions.
func (o *options) within(fn *ssa.Function, instr ssa.Instruction) ssa.Instruction {
	for instr.Parent() != fn {
		made := o.r.Calls.Closures(instr.Parent())
		if instr.Parent().Parent() == nil || len(made) != 1 {
			return nil
		}
		instr = made[0]
	}
	return instr
}

// isOutsideLoops reports whether an instruction of the function that makes the
// manager runs once at most.
func (o *options) isOutsideLoops(instr ssa.Instruction) bool {
	if instr.Parent() != o.call.Parent() {
		return false
	}
	seen := make(map[*ssa.BasicBlock]bool)
	work := slices.Clone(instr.Block().Succs)
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if block == instr.Block() {
			return false
		}
		if !seen[block] {
			seen[block] = true
			work = append(work, block.Succs...)
		}
	}
	return true
}

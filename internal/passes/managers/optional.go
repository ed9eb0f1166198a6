package managers

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// namespaced notes that the cache is limited to namespaces, or is so on some
// paths only.
func (o *options) namespaced(optional bool) {
	o.m.Optional = optional && (o.m.Optional || !o.m.Namespaced)
	o.m.Namespaced = true
}

// optional reports whether a field stays empty on some path to the manager. A
// variable that may be empty says nothing; an if that leaves the field out does.
func (o *options) optional(s *literals.Struct, field string) bool {
	stores := slices.DeleteFunc(slices.Clone(s.Stores[field]), func(store *ssa.Store) bool { return literals.IsZero(store.Val) })
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
	return ok && slices.ContainsFunc(phi.Edges, literals.IsZero)
}

// avoidable reports whether a path leads past all of some instructions to the
// call that makes the manager, or, if they are in another function, to where that
// returns. A loop counts as a whole: that it may have no rounds says nothing.
func (o *options) avoidable(instrs []ssa.Instruction) bool {
	fn := o.call.Parent()
	if len(instrs) > 0 && o.r.Calls.Within(fn, instrs[0]) == nil {
		fn = paths.Outermost(instrs[0].Parent())
	}
	passed := make(map[*ssa.BasicBlock]bool)
	for _, instr := range instrs {
		if instr = o.r.Calls.Within(fn, instr); instr == nil {
			return false
		}
		passed[instr.Block()] = true
		for _, loop := range loops.Of(instr.Parent()) {
			if loop.Blocks[instr.Block()] {
				maps.Copy(passed, loop.Blocks)
			}
		}
	}
	if len(fn.Blocks) == 0 || passed[fn.Blocks[0]] {
		return false
	}
	work := []*ssa.BasicBlock{fn.Blocks[0]}
	passed[fn.Blocks[0]] = true
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		if block == o.call.Block() || fn != o.call.Parent() && succeeds(block) {
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

// succeeds reports whether a block returns, and no error.
func succeeds(block *ssa.BasicBlock) bool {
	ret, ok := blocks.Last(block).(*ssa.Return)
	return ok && !slices.ContainsFunc(ret.Results, func(result ssa.Value) bool {
		return kubeapi.IsError(result.Type()) && !literals.IsZero(result)
	})
}

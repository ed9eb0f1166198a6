// Package loops tells what ends a loop: where its ways out are, what each of
// them depends on, what the loop waits for in each round, and which ways out
// remain when something, such as the end of a context, is taken for granted.
//
// It is a library over SSA. Its answers are about one function; what a called
// function does is for the caller to say.
package loops

import (
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
)

// Loop is a natural loop: the blocks from which its head is reached again. Two
// loops with the same head, as a continue statement makes them, are one.
type Loop struct {
	Head   *ssa.BasicBlock
	Blocks map[*ssa.BasicBlock]bool
}

// Exit is a way out of a loop: an edge that leads from one of its blocks to
// one that is none. What follows need not return: a panic or the end of the
// process is a way out, too.
type Exit struct {
	From, To *ssa.BasicBlock
	Cond     ssa.Value // the condition at the end of From
	When     bool      // its value for which the edge is taken
}

// Of returns the natural loops of fn in the order in which they end; a loop
// inside another one is a loop of its own.
func Of(fn *ssa.Function) []*Loop {
	byHead := make(map[*ssa.BasicBlock]*Loop)
	var found []*Loop
	for _, block := range fn.Blocks {
		for _, head := range block.Succs {
			if !head.Dominates(block) {
				continue
			}
			loop := byHead[head]
			if loop == nil {
				loop = &Loop{Head: head, Blocks: map[*ssa.BasicBlock]bool{head: true}}
				byHead[head] = loop
				found = append(found, loop)
			}
			loop.add(block)
		}
	}
	return found
}

// add includes a block that leads back to the head, and all from which it is
// reached.
func (l *Loop) add(block *ssa.BasicBlock) {
	stack := []*ssa.BasicBlock{block}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if l.Blocks[b] {
			continue
		}
		l.Blocks[b] = true
		stack = append(stack, b.Preds...)
	}
}

// Ordered returns the loop's blocks in the order of the function.
func (l *Loop) Ordered() []*ssa.BasicBlock {
	return slices.DeleteFunc(slices.Clone(l.Head.Parent().Blocks), func(b *ssa.BasicBlock) bool { return !l.Blocks[b] })
}

// InstrsOf yields the instructions of a loop that are of one type, in the order of the function.
func InstrsOf[T any](l *Loop) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, block := range l.Ordered() {
			for _, instr := range block.Instrs {
				if t, ok := instr.(T); ok && !yield(t) {
					return
				}
			}
		}
	}
}

// Exits returns the ways out of the loop. The panic that stands for a select
// without a ready case is none.
func (l *Loop) Exits() []Exit {
	var exits []Exit
	for _, block := range l.Ordered() {
		for i, succ := range block.Succs {
			if exit, ok := l.exit(block, i); ok && !l.Blocks[succ] {
				exits = append(exits, exit)
			}
		}
	}
	return exits
}

// exit describes the i-th edge of a block if it leaves the loop.
func (l *Loop) exit(from *ssa.BasicBlock, i int) (Exit, bool) {
	to := from.Succs[i]
	if l.Blocks[to] || noCase(to) {
		return Exit{}, false
	}
	branch, ok := blocks.Last(from).(*ssa.If)
	if !ok {
		return Exit{From: from, To: to}, true
	}
	return Exit{From: from, To: to, Cond: branch.Cond, When: i == 0}, true
}

// noCase reports whether a block is the panic that stands for a blocking
// select without a ready case, which cannot happen.
func noCase(block *ssa.BasicBlock) bool {
	panics, ok := blocks.Last(block).(*ssa.Panic)
	return ok && !panics.Pos().IsValid()
}

// CanReturn reports whether an end of fn can be reached: a return, a panic, or
// the end of the process.
func CanReturn(fn *ssa.Function) bool { return CanReturnFrom(fn.Blocks[0]) }

// CanReturnFrom reports whether an end of its function can be reached from a block.
func CanReturnFrom(block *ssa.BasicBlock) bool {
	for b := range blocks.Walk(func(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }, block) {
		if len(b.Succs) == 0 && !noCase(b) {
			return true
		}
	}
	return false
}

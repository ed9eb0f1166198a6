// Package work tells what takes time, and what goroutines do with contexts that are cancelled
// while nothing takes any.
package work

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Finder looks at the functions of one package.
type Finder struct {
	Info  *deadlines.Deadlines
	Calls *calls.Graph
}

// After reports whether something that takes time may run between two
// calls; in different functions, that cannot be told, and counts as no.
func (f *Finder) After(from, to *ssa.Call) bool {
	return from.Parent() == to.Parent() && f.Between(from, to)
}

// Between reports whether something that takes time may run between two
// calls of one function.
func (f *Finder) Between(from, to *ssa.Call) bool {
	g := f.Info.Graphs.Of(from.Parent())
	for _, start := range g.At(from) {
		_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n.Instr == ssa.Instruction(to) {
				if stage == 1 {
					return stage, paths.Found
				}
				return stage, paths.Prune
			}
			if f.TakesTime(n) {
				stage = 1
			}
			return stage, paths.Continue
		})
		if found {
			return true
		}
	}
	return false
}

// TakesTime reports whether a node may take long: all calls do that are not
// known not to, and what waits for a channel.
func (f *Finder) TakesTime(n *paths.Node) bool {
	if call, ok := n.Instr.(*ssa.Defer); ok {
		return n.Deferred && f.callTakesTime(call, 0)
	}
	return f.instrTakesTime(n.Instr, 0)
}

func (f *Finder) instrTakesTime(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.Select, *ssa.Send:
		return true
	case *ssa.UnOp:
		return instr.Op == token.ARROW
	case *ssa.Call:
		return f.callTakesTime(instr, depth)
	}
	return false
}

// maxBrief bounds the functions of the package that are looked into.
const maxBrief = 3

func (f *Finder) callTakesTime(call ssa.CallInstruction, depth int) bool {
	common := call.Common()
	if _, builtin := common.Value.(*ssa.Builtin); builtin || kubeapi.IsCancel(common.Value.Type()) {
		return false
	}
	if kubeapi.IsHarmless(kubeapi.Callee(common)) {
		return false
	}
	targets := f.Calls.Callees(call)
	return !targets.Closed || depth >= maxBrief || slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
		return f.funcTakesTime(fn, depth+1)
	})
}

// funcTakesTime reports whether something in a function may take long, or is done in
// a loop.
func (f *Finder) funcTakesTime(fn *ssa.Function, depth int) bool {
	for instr := range blocks.Instrs(fn) {
		deferred, isDefer := instr.(*ssa.Defer)
		if isDefer && f.callTakesTime(deferred, depth) || f.instrTakesTime(instr, depth) {
			return true
		}
	}
	return len(fn.Blocks) == 0 || len(loops.Of(fn)) > 0
}

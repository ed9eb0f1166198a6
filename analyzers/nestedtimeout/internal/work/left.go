package work

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Lost is work of a goroutine whose context is cancelled before it can be done.
type Lost struct {
	Start ssa.CallInstruction // starts the goroutine
	Use   deadlines.Use
	End   deadlines.End
	Wait  ssa.Instruction // what waits for the goroutine after that, if anything
}

// Left returns the work of goroutines whose context a function cancels as it returns, at once.
func (f *Finder) Left(g *paths.Graph) []Lost {
	var all []Lost
	for _, n := range g.Nodes {
		start, ok := n.Instr.(*ssa.Go)
		if !ok || start.Parent() != g.Fn {
			continue
		}
		use, ok := f.oneWork(start)
		if !ok {
			continue
		}
		id := f.Info.IDOf(use.Ctx)
		if id == nil {
			continue
		}
		var end deadlines.End
		_, found := g.Search(n, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			for _, e := range f.Info.EndsAt(g, n) {
				if e.ID == id && e.How == deadlines.Cancelled {
					end = e
					return stage, paths.Found
				}
			}
			if f.TakesTime(n) {
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if found && !f.waitsAfter(g, n) {
			all = append(all, Lost{Start: start, Use: use, End: end})
		}
	}
	return all
}

// waitsAfter reports whether something that takes time may run after a node:
// the function may then be waiting for the goroutine, or the goroutine be there
// to accompany it.
func (f *Finder) waitsAfter(g *paths.Graph, start *paths.Node) bool {
	_, found := g.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if f.TakesTime(n) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

// oneWork returns what a goroutine needs a context for, if it does one piece
// of work and tells nobody when it is done.
func (f *Finder) oneWork(start *ssa.Go) (deadlines.Use, bool) {
	targets := f.Calls.Callees(start)
	if len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 {
		return deadlines.Use{}, false
	}
	body := targets.Funcs[0]
	if len(loops.Of(body)) > 0 {
		return deadlines.Use{}, false
	}
	g := f.Info.Graphs.Of(body)
	var use deadlines.Use
	found := false
	for _, n := range g.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.Select, *ssa.Send:
			return use, false
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				return use, false
			}
		case ssa.CallInstruction:
			common := instr.Common()
			if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() == "close" || kubeapi.IsWaitGroupDone(kubeapi.Callee(common)) {
				return use, false
			}
		}
		if at, ok := f.Info.UseOf(n); ok && !at.Derives && !found {
			use, found = at, true
		}
	}
	if !found || body.Parent() != nil {
		return use, found
	}
	return f.handed(start)
}

// handed returns what a declared function needs a context for that it is handed.
func (f *Finder) handed(start ssa.CallInstruction) (use deadlines.Use, ok bool) {
	b := f.Info.Of(start)
	if b == nil {
		return use, false
	}
	operands := kubeapi.Operands(start.Common())
	for _, need := range b.Needs {
		if need.Param < len(operands) {
			return deadlines.Use{Call: start, Ctx: operands[need.Param], What: need.What, Where: need.Where, Shuts: need.Shuts}, true
		}
	}
	return use, false
}

package deadlines

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ownCancels finds what a function does with functions that cancel contexts:
// those in fields of its receiver are called, its parameters are kept.
func (i *Deadlines) ownCancels(fn *ssa.Function, b *Behaviour) {
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case ssa.CallInstruction:
			common := instr.Common()
			if common.IsInvoke() || !kubeapi.IsCancel(common.Value.Type()) || fn.Signature.Recv() == nil {
				continue
			}
			if load, ok := common.Value.(*ssa.UnOp); ok {
				if addr, ok := load.X.(*ssa.FieldAddr); ok && i.base(addr.X) == fn.Params[0] {
					b.CancelsOwn = true
				}
			}
		case *ssa.Store:
			if _, ok := instr.Addr.(*ssa.FieldAddr); ok && kubeapi.IsCancel(instr.Val.Type()) {
				if _, ok := i.value(instr.Val).(*ssa.Parameter); ok {
					b.KeepsCancel = true
				}
			}
		}
	}
}

// value sees through a captured variable.
func (i *Deadlines) value(v ssa.Value) ssa.Value {
	if change, ok := v.(*ssa.ChangeType); ok {
		v = change.X
	}
	return i.base(v)
}

// calledAlways reports whether a function that is a parameter is called, or
// its call deferred, on every path.
func (i *Deadlines) calledAlways(g *paths.Graph, p *ssa.Parameter) bool {
	var calls []*paths.Node
	for _, n := range g.Nodes {
		if call := runs(n); call != nil && !call.Common().IsInvoke() && i.value(call.Common().Value) == ssa.Value(p) {
			calls = append(calls, n)
		}
	}
	always := len(calls) > 0
	walk(g, func(n *paths.Node) bool {
		called := slices.Contains(calls, n)
		always = always && (called || !g.IsExit(n))
		return always && !called
	})
	return always
}

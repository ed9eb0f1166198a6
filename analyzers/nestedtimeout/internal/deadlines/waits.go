package deadlines

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// waits finds the parameters that have ended when the function returns.
func (i *Deadlines) waits(fn *ssa.Function, g *paths.Graph, b *Behaviour) {
	for index, p := range fn.Params {
		if kubeapi.IsCancel(p.Type()) && i.calledAlways(g, p) {
			b.Cancels = append(b.Cancels, index)
		}
		if !kubeapi.IsContext(p.Type()) && !kubeapi.IsStopChannel(p.Type()) {
			continue
		}
		ended := i.endedAt(g, p)
		if ended == nil {
			continue
		}
		always, ok, returns := true, true, false
		for _, n := range g.Nodes {
			ret, isReturn := n.Instr.(*ssa.Return)
			if !isReturn || n.Frame.Parent != nil || !ended.Reached(n) {
				continue
			}
			returns = true
			if ended.Sure(n) {
				continue
			}
			always = false
			if !i.fails(ret) && !i.passesOn(ret, p) {
				ok = false
			}
		}
		switch {
		case !returns:
		case always:
			b.Waits = append(b.Waits, index)
		case ok:
			b.WaitsOK = append(b.WaitsOK, index)
		}
	}
}

// fails reports whether a return surely returns an error.
func (i *Deadlines) fails(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if !kubeapi.IsError(err.Type()) {
		return false
	}
	switch err := err.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		if callee := kubeapi.Callee(err.Common()); kubeapi.IsFunc(callee, "fmt", "Errorf") || kubeapi.IsFunc(callee, "errors", "New") {
			return true
		}
	}
	// Returned where it was just found not to be nil.
	block := ret.Block()
	if len(block.Preds) != 1 {
		return false
	}
	branch, ok := blocks.Last(block.Preds[0]).(*ssa.If)
	if !ok {
		return false
	}
	compare, ok := branch.Cond.(*ssa.BinOp)
	return ok && compare.X == err && calls.IsNil(compare.Y) && (compare.Op == token.NEQ) == (block.Preds[0].Succs[0] == block)
}

// passesOn reports whether a return hands on the error of a call that succeeds
// only when the context id has ended.
func (i *Deadlines) passesOn(ret *ssa.Return, id ID) bool {
	if len(ret.Results) == 0 {
		return false
	}
	call, _ := calls.CallOf(ret.Results[len(ret.Results)-1])
	return call != nil && slices.Contains(i.endsIfOK(call), id)
}
